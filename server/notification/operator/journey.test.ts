import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { allRoles, type TestKenri, testKenri } from "../../testing/kenri.ts";
import { deliveryAttempts } from "../../testing/notification_rows.ts";
import { quoted } from "../../testing/rows.ts";

let kenri: TestKenri;
let eventId: string;
let notificationId: string;
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
beforeAll(async () => {
  kenri = await testKenri({ NOTIFICATION_MAX_ATTEMPTS: "1" });
  await kenri.start(allRoles);
  // The workers get a fault only once they run; a first notification shows that they do.
  await kenri.grant("first", "item1");
  await until("the first is sent", 20_000, async () => (await kenri.inbox("first"))[0]?.status === "SENT");
  const init = { method: "PUT", headers: { "content-type": "application/json" }, body: '{"user_prefix": "unlucky"}' };
  expect((await kenri.call("notification", "/debug/faults", init)).status).toBe(200);
  await kenri.grant("unlucky-1", "item1", { headers: { traceparent: `00-${trace}-00000000000000aa-01` } });
  await until("it has failed", 20_000, async () => (await kenri.inbox("unlucky-1"))[0]?.status === "FAILED");
  const [row] = await kenri.notificationSql`select event_id, notification_id from notifications where user_id = 'unlucky-1'`;
  eventId = row?.event_id;
  notificationId = row?.notification_id;
});
afterAll(() => kenri.close());

const journey = async (id: string) => {
  const response = await kenri.call("notification", `/ops/journey/${encodeURIComponent(id)}`);
  expect({ id, status: response.status }).toEqual({ id, status: 200 });
  return response.json() as Promise<{ matched_by: string | null; notifications: Record<string, unknown>[]; raw_dead_letters: unknown[] }>;
};

describe("one id leads to the journey of its notification", () => {
  test.each([
    ["event_id", () => eventId],
    ["notification_id", () => notificationId],
    ["notification_id", () => notificationId.toUpperCase()],
    ["trace_id", () => trace],
  ])("%s", async (matched_by, given) => {
    expect(await journey(given())).toMatchObject({
      matched_by,
      notifications: [
        {
          notification_id: notificationId,
          event_id: eventId,
          user_id: "unlucky-1",
          status: "FAILED",
          trace_id: trace,
          processed: { stale: false, stream_seq: 2, processed_at: expect.any(String) },
          attempts: [{ number: 1, outcome: "dead", error: expect.any(String), worker: expect.any(String) }],
          dead: { failed_at: expect.any(String), requeued_at: null, requeued_by: null },
          actions: [],
        },
      ],
      raw_dead_letters: [],
    });
  });

  test.each([
    ["an unknown id", () => crypto.randomUUID()],
    ["an unknown trace", () => "0".repeat(31).concat("1")],
    ["an id of another kind", () => "p_1"],
    ["SQL", () => "' or 1=1 --"],
  ])("%s leads nowhere, perhaps not yet", async (_, given) =>
    expect(await journey(given())).toEqual({ matched_by: null, notifications: [], raw_dead_letters: [] }),
  );
});

test("entitlement has the same trace", async () => {
  const response = await kenri.call("entitlement", `/ops/journey/${trace}`);
  expect(await response.json()).toMatchObject({
    matched_by: "trace_id",
    events: [{ event_id: eventId, status: "PUBLISHED", stream_seq: 2 }],
  });
});

test("a message that could not be read is found by its event, with what people did to it", async () => {
  const lost = crypto.randomUUID();
  const [letter] =
    await kenri.notificationSql`insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, event_id, reason)
    values ('s', 9, 'sub', '{}', '\\xff', ${lost}, 'not an EntitlementEvent') returning id`;
  await kenri.notificationSql`insert into operator_actions (actor, action, subject, reason) values ('user:otto', 'raw_dead_letter.reprocess', ${letter?.id}, 'fixed')`;
  expect(await journey(lost)).toMatchObject({
    matched_by: "event_id",
    notifications: [],
    raw_dead_letters: [{ id: letter?.id, event_id: lost, reason: "not an EntitlementEvent", size: 1, actions: [{ actor: "user:otto" }] }],
  });
});

test("a requeue is shown, with the operator and the reason", async () => {
  const off = { method: "PUT", headers: { "content-type": "application/json" }, body: '{"user_prefix": ""}' };
  await kenri.call("notification", "/debug/faults", off);
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"reason": "well again"}' };
  expect((await kenri.call("notification", `/ops/notifications/${notificationId}/requeue`, init)).status).toBe(200);
  await until("it is sent", 20_000, async () => (await kenri.inbox("unlucky-1"))[0]?.status === "SENT");
  const { notifications } = await journey(eventId);
  expect(notifications).toMatchObject([
    {
      status: "SENT",
      position: 1,
      attempts: [
        { number: 2, outcome: "sent" },
        { number: 1, outcome: "dead" },
      ],
      dead: { requeued_by: "tester" },
      actions: [{ actor: "tester", action: "notification.requeue", reason: "well again" }],
    },
  ]);
});

test("however often one was tried, its answer has the last 100 attempts", async () => {
  const [row] = await kenri.notificationSql`select notification_id from notifications where user_id = 'first'`;
  const id = row?.notification_id as string;
  await deliveryAttempts.put(
    kenri.notificationSql,
    { notification_id: `${quoted(id)}::uuid`, number: "n", error: "'no'" },
    "generate_series(2, 300) n",
  );
  const { attempts } = (await (await kenri.call("notification", `/ops/notifications/${id}`)).json()) as { attempts: { number: number }[] };
  expect(attempts.map(one => one.number)).toEqual(Array.from({ length: 100 }, (_, n) => 300 - n));
});
