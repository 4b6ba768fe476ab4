import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { allRoles, type TestKenri, testKenri } from "../testing/kenri.ts";
import { messagesOf } from "../testing/stream.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri({ NOTIFICATION_MAX_ATTEMPTS: "2", OUTBOX_MAX_ATTEMPTS: "2" });
  await kenri.start(allRoles);
  // Workers get a fault only while they run; a first delivery shows that they do.
  await kenri.grant("first", "item");
  await deliveredOnce("first");
});
afterAll(() => kenri.close());

const post = (system: "entitlement" | "notification", path: string, body: unknown, method = "POST") =>
  kenri.call(system, path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
/** Makes publishes (entitlement) or sends (notification) for users with this prefix fail. */
const setFault = (system: "entitlement" | "notification", user_prefix: string) => post(system, "/debug/faults", { user_prefix }, "PUT");
const requeue = (system: "entitlement" | "notification", id: string, reason = "the cause is gone") =>
  post(system, `/ops/${system === "entitlement" ? "outbox" : "notifications"}/${id}/requeue`, { reason });

const notificationOf = async (user: string) => (await kenri.notificationSql`select * from notifications where user_id = ${user}`)[0]!;
const eventOf = async (user: string) =>
  (await kenri.entitlementSql`select * from outbox_events where aggregate_key = ${`${user}:item`}`)[0]!;
const deliveredOnce = (user: string) =>
  until(`${user} has one delivery`, 20_000, async () => {
    const inbox = await kenri.inbox(user);
    return inbox.length === 1 && inbox[0]?.status === "SENT";
  });

test("a channel that always fails: attempts as configured, then FAILED with one dead letter in the same commit; a requeue delivers it once and is audited", async () => {
  await setFault("notification", "no-channel");
  expect((await kenri.grant("no-channel", "item")).status).toBe(200);
  // At every moment FAILED and the dead letter exist together or not at all.
  const half = () => kenri.notificationSql`
    select from notifications full join notification_dlq using (notification_id)
    where (notifications.status = 'FAILED') is distinct from (notification_dlq.notification_id is not null)`;
  await until("it is FAILED", 15_000, async () => {
    expect(await half()).toHaveLength(0);
    return (await notificationOf("no-channel"))?.status === "FAILED";
  });
  const { notification_id, attempt_count, last_error, event_id } = await notificationOf("no-channel");
  expect([attempt_count, last_error]).toEqual([2, "fault: sends to this user are made to fail"]);
  const attempts = () =>
    kenri.notificationSql`select number, outcome from delivery_attempts where notification_id = ${notification_id} order by number`;
  expect([...(await attempts())]).toEqual([
    { number: 1, outcome: "retry" },
    { number: 2, outcome: "dead" },
  ]);
  const letter = async () => (await kenri.notificationSql`select * from notification_dlq where notification_id = ${notification_id}`)[0]!;
  expect(await letter()).toMatchObject({ event_id, user_id: "no-channel", attempts: 2, reason: last_error, requeued_at: null });
  const firstFailure = (await letter()).failed_at;

  // It fails again: the dead letter is renewed.
  expect((await requeue("notification", notification_id)).status).toBe(200);
  expect(await letter()).toMatchObject({ requeued_by: "tester", requeue_reason: "the cause is gone" });
  await until("it is FAILED again", 15_000, async () => (await notificationOf("no-channel")).status === "FAILED");
  expect(await letter()).toMatchObject({ attempts: 2, requeued_at: null, requeued_by: null });
  expect((await letter()).failed_at.getTime()).toBeGreaterThan(firstFailure.getTime());
  expect([...(await attempts())].map(row => row.number)).toEqual([1, 2, 3, 4]);

  await setFault("notification", "");
  const answers = await Promise.all([requeue("notification", notification_id), requeue("notification", notification_id)]);
  expect(answers.map(answer => answer.status)).toEqual([200, 200]);
  const [one, other] = await Promise.all(answers.map(answer => answer.json()));
  expect(one).toEqual(other);
  await deliveredOnce("no-channel");
  expect(await kenri.notificationSql`select from operator_actions where subject = ${notification_id}`).toHaveLength(2);
  expect((await requeue("notification", notification_id)).status).toBe(200);
  await deliveredOnce("no-channel");
});

test("a publish that always fails: FAILED with its last error; a requeue delivers it once and is audited", async () => {
  await setFault("entitlement", "no-stream");
  expect((await kenri.grant("no-stream", "item")).status).toBe(200);
  await until("it is FAILED", 15_000, async () => (await eventOf("no-stream")).status === "FAILED");
  const { event_id, attempt_count, last_error } = await eventOf("no-stream");
  expect([attempt_count, last_error]).toEqual([2, "fault: publishes for this user are made to fail"]);
  expect(await (await kenri.call("entitlement", "/ops/outbox/failed")).json()).toMatchObject({ events: [{ event_id, last_error }] });
  await setFault("entitlement", "");
  const answers = await Promise.all([requeue("entitlement", event_id), requeue("entitlement", event_id)]);
  expect(answers.map(answer => answer.status)).toEqual([200, 200]);
  for (const answer of answers) expect(await answer.json()).toEqual({ event_id, status: "PENDING", publish_generation: 1 });
  await deliveredOnce("no-stream");
  expect(await kenri.entitlementSql`select from operator_actions where subject = ${event_id}`).toHaveLength(1);
  expect(await (await requeue("entitlement", event_id)).json()).toMatchObject({ publish_generation: 1 });
});

test("a FAILED event does not block the later ones of its aggregate, and is stale when it is requeued", async () => {
  await setFault("entitlement", "stumbler");
  await kenri.grant("stumbler", "item");
  await until("it is FAILED", 15_000, async () => (await eventOf("stumbler")).status === "FAILED");
  await setFault("entitlement", "");
  await kenri.revoke("stumbler", "item");
  await deliveredOnce("stumbler");
  const [failed] =
    await kenri.entitlementSql`select event_id from outbox_events where aggregate_key = 'stumbler:item' and aggregate_version = 1`;
  await requeue("entitlement", failed!.event_id);
  await until("both are delivered", 20_000, async () => (await kenri.inbox("stumbler")).filter(row => row.status === "SENT").length === 2);
  expect((await kenri.inbox("stumbler")).map(row => [row.payload.version, row.stale])).toEqual([
    [1, true],
    [2, false],
  ]);
});

test("a payload that cannot be encoded is FAILED at once, and delivered after it was repaired and requeued", async () => {
  await kenri.entitlementSql`create function spoil() returns trigger language plpgsql as $$ begin new.payload := new.payload - 'source'; return new; end $$`;
  await kenri.entitlementSql`create trigger spoil before insert on outbox_events for each row when (new.aggregate_key = 'spoilt:item') execute function spoil()`;
  expect((await kenri.grant("spoilt", "item")).status).toBe(200);
  await until("it is FAILED", 15_000, async () => (await eventOf("spoilt")).status === "FAILED");
  expect(await eventOf("spoilt")).toMatchObject({ attempt_count: 1, last_error: expect.stringContaining("source") });
  const { event_id } = await eventOf("spoilt");
  await kenri.entitlementSql`update outbox_events set payload = payload || '{"source": "purchase"}' where event_id = ${event_id}`;
  expect((await requeue("entitlement", event_id)).status).toBe(200);
  await deliveredOnce("spoilt");
});

test("a requeue inside the duplicate window stores a new message under a new id", async () => {
  await kenri.grant("again", "item");
  await deliveredOnce("again");
  const { event_id } = await eventOf("again");
  await until("it is confirmed", 15_000, async () => (await eventOf("again")).confirmed_at !== null);
  await kenri.entitlementSql`update outbox_events set status = 'FAILED', confirmed_at = null, last_error = 'by hand' where event_id = ${event_id}`;
  expect((await requeue("entitlement", event_id)).status).toBe(200);
  await until("it is published again", 15_000, async () => (await eventOf("again")).status === "PUBLISHED");
  const { stream_seq, stream_duplicate, publish_generation } = await eventOf("again");
  expect([stream_duplicate, publish_generation]).toEqual([false, 1]);
  const stored = (await messagesOf(kenri)).filter(message => message.messageId.startsWith(event_id));
  expect(stored.map(({ seq, messageId }) => [seq, messageId]).at(-1)).toEqual([stream_seq, `${event_id}:r1`]);
  expect(stored).toHaveLength(2);
  await until("it is confirmed again", 15_000, async () => (await eventOf("again")).confirmed_at !== null);
  await deliveredOnce("again");
});

test("a row that is not FAILED cannot be requeued (409), nor can one that does not exist (404); no action is recorded", async () => {
  await kenri.grant("fine", "item");
  await deliveredOnce("fine");
  const { event_id } = await eventOf("fine");
  const { notification_id } = await notificationOf("fine");
  for (const answer of [await requeue("entitlement", event_id), await requeue("notification", notification_id)]) {
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: "NOT_FAILED" });
  }
  const nobody = crypto.randomUUID();
  expect([(await requeue("entitlement", nobody)).status, (await requeue("notification", nobody)).status]).toEqual([404, 404]);
  for (const sql of [kenri.entitlementSql, kenri.notificationSql])
    expect(await sql`select from operator_actions where subject in (${event_id}, ${notification_id}, ${nobody})`).toHaveLength(0);
});
