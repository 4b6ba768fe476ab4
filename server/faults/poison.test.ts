import { afterAll, beforeAll, expect, test } from "bun:test";
import type { MsgHdrs } from "@nats-io/nats-core";
import { until } from "../../stack/wait.ts";
import { eventMessage, type Facts, signedHeaders } from "../testing/events.ts";
import { allRoles, type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import { putOnStream, withNats } from "../testing/stream.ts";

let kenri: TestKenri;
let everything: TestProcess;
beforeAll(async () => {
  kenri = await testKenri({ CONSUMER_ACK_WAIT: "2s", HEALTH_PORT: "0" });
  everything = await kenri.start(allRoles);
  await deliveredSoon("first");
});
afterAll(() => kenri.close());

/** The pipeline is not blocked: a new grant is delivered. */
async function deliveredSoon(user: string) {
  expect((await kenri.grant(user, "item")).status).toBe(200);
  await until(`${user} has a delivery`, 15_000, async () => (await kenri.inbox(user))[0]?.status === "SENT");
}

const encode = (facts: Facts) => eventMessage(facts).data;

/** Replaces the data of a raw dead letter by an event, as if the publisher had been repaired. */
async function mend(id: string, facts: Facts): Promise<void> {
  const { data, headers } = eventMessage(facts);
  await kenri.notificationSql`update notification_nats_dlq set data = ${Buffer.from(data)},
    headers = ${kenri.notificationSql.json(signedHeaders(kenri.environment, data, headers))} where id = ${id}`;
}

interface Letter {
  readonly id: string;
  readonly reason: string;
  readonly headers: Record<string, string>;
  readonly data: Uint8Array;
  readonly event_id: string | null;
  readonly subject: string;
}

/** The raw dead letter of a message. */
async function letterOf(seq: number): Promise<Letter> {
  const find = () =>
    kenri.notificationSql<
      Letter[]
    >`select * from notification_nats_dlq where stream = ${kenri.environment.ENTITLEMENT_STREAM!} and stream_seq = ${seq}`;
  await until(`message ${seq} is a raw dead letter`, 20_000, async () => (await find()).length === 1);
  return (await find())[0]!;
}

const reprocess = (id: string) =>
  kenri.call("notification", `/ops/raw-dead-letters/${id}/reprocess`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reason: "the decoder was mended" }),
  });

test("unreadable bytes are stored with reason, headers and sequence; other messages are not blocked; after a repair they are consumed on demand, once", async () => {
  const poison = new Uint8Array([0xff, 0xff, 0xff, 0x01, 0x02]);
  const seq = await putOnStream(kenri, poison, { "x-sender": "a stranger" });
  await deliveredSoon("after-poison");
  const letter = await letterOf(seq);
  expect(letter.reason).toContain("not an EntitlementEvent");
  expect(letter.headers).toMatchObject({ "x-sender": "a stranger" });
  expect(letter.subject).toBe(kenri.environment.ENTITLEMENT_SUBJECT!);
  expect(new Uint8Array(letter.data)).toEqual(poison);

  const refused = await reprocess(letter.id);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ code: "STILL_UNREADABLE", detail: expect.stringContaining("not an EntitlementEvent") });

  await mend(letter.id, { userId: "paula" });
  expect((await reprocess(letter.id)).status).toBe(200);
  await until("it is delivered", 15_000, async () => (await kenri.inbox("paula"))[0]?.status === "SENT");
  expect((await reprocess(letter.id)).status).toBe(200);
  expect(await kenri.inbox("paula")).toHaveLength(1);
  expect(await kenri.notificationSql`select actor, reason from operator_actions where subject = ${letter.id}`).toEqual([
    { actor: "tester", reason: "the decoder was mended" },
  ] as never);
});

test("the reprocess of an unknown letter answers 404", async () => {
  expect((await reprocess(crypto.randomUUID())).status).toBe(404);
});

const unreadable: [what: string, data: Uint8Array | string, reason: RegExp][] = [
  ["an unknown event type", encode({ eventType: "EntitlementFrozen" }), /event_type "EntitlementFrozen" is not known/],
  ["no event id", encode({ eventId: "" }), /event_id is not a UUID/],
  ["no user", encode({ userId: "" }), /user_id must be 1 to 200 characters/],
  ["version 0", encode({ version: 0n }), /version 0 is out of range/],
  ["a version beyond every counter", encode({ version: 2n ** 53n - 1n }), /version \d+ is out of range/],
  ["U+0000 in a text", encode({ source: "a\0b" }), /U\+0000/],
  ["a source of 900 kB", encode({ source: "x".repeat(900_000) }), /the message has \d+ bytes; at most 65536/],
  ["nothing at all", new Uint8Array(0), /event_id/],
];
test.each(unreadable)("%s: a raw dead letter with the reason, and other events are delivered", async (_, data, reason) => {
  const seq = await putOnStream(kenri, data);
  expect((await letterOf(seq)).reason).toMatch(reason);
  await deliveredSoon(`user-${seq}`);
  const refused = await reprocess((await letterOf(seq)).id);
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([409, "STILL_UNREADABLE"]);
});

test("an event that the database refuses is a raw dead letter with the reason; the others of its batch are delivered", async () => {
  await kenri.notificationSql`alter table notifications add constraint nobody_is_odd check (user_id <> 'odd')`;
  const { data, headers } = eventMessage({ userId: "odd" });
  const seq = await putOnStream(kenri, data, headers);
  await deliveredSoon("beside-odd");
  expect((await letterOf(seq)).reason).toMatch(/^cannot be stored: .*nobody_is_odd/);
  await kenri.notificationSql`alter table notifications drop constraint nobody_is_odd`;
  expect((await reprocess((await letterOf(seq)).id)).status).toBe(200);
});

test("a message whose headers JSON cannot represent is stored", async () => {
  const seq = await putOnStream(kenri, "poison", { "x-odd": "a\0b", "x-also": "\ud800" });
  const { reason, headers } = await letterOf(seq);
  expect(reason).toContain("not an EntitlementEvent");
  expect(headers["x-odd"]).toBe("a\uFFFDb");
  await deliveredSoon("after-headers");
});

test("a message whose headers cannot be read is stored with the reason, and the others are delivered", async () => {
  const odd = `NATS/1.0\r\nodd name: x\r\n\r\n`;
  await withNats(kenri, async nats => {
    const headers = { encode: () => new TextEncoder().encode(odd) } as unknown as MsgHdrs;
    nats.publish(kenri.environment.ENTITLEMENT_SUBJECT!, "odd headers", { headers });
    await nats.flush();
  });
  await deliveredSoon("beside-odd-headers");
  const stored = () => kenri.notificationSql<Letter[]>`select * from notification_nats_dlq where encode(data, 'escape') = 'odd headers'`;
  await until("it is a raw dead letter", 20_000, async () => (await stored()).length === 1);
  const [letter] = await stored();
  expect(letter!.headers["Kenri-Unreadable-Headers"]).toContain("not a valid character in a header name");
});

test("a thousand unreadable messages do not block the others", async () => {
  await withNats(kenri, async nats => {
    for (let n = 0; n < 1000; n++) nats.publish(kenri.environment.ENTITLEMENT_SUBJECT!, `poison ${n}`);
    await nats.flush();
  });
  await deliveredSoon("after-a-thousand");
  const buried = () => kenri.notificationSql`select from notification_nats_dlq where encode(data, 'escape') ~ '^poison [0-9]+$'`;
  await until("all are raw dead letters", 20_000, async () => (await buried()).length === 1000);
});

test("an error of the database that is not about the events makes no dead letters: the events wait", async () => {
  const failures = () => everything.metric("kenri_loop_runs_total", 'loop="notification-entitlement-consumer",outcome="error"');
  const buried = async () => (await kenri.notificationSql`select from notification_nats_dlq`).length;
  const [letters, errors] = [await buried(), await failures()];
  await kenri.notificationSql`revoke insert on notifications from notification_app`;
  expect((await kenri.grant("patient", "item")).status).toBe(200);
  await until("it was tried", 20_000, async () => (await failures()) > errors);
  await kenri.notificationSql`grant insert on notifications to notification_app`;
  await until("it is delivered", 20_000, async () => (await kenri.inbox("patient"))[0]?.status === "SENT");
  expect(await buried()).toBe(letters);
});

test("an unreadable message whose id names an event confirms it to the outbox, and is consumed once it can be read", async () => {
  await setFault("unlucky");
  expect((await kenri.grant("unlucky", "item")).status).toBe(200);
  const [event] = await kenri.entitlementSql`select event_id, payload from outbox_events where aggregate_key = 'unlucky:item'`;
  const seq = await putOnStream(kenri, "bytes of a bad encoder", { "Nats-Msg-Id": event!.event_id });
  const letter = await letterOf(seq);
  expect(letter.event_id).toBe(event!.event_id);
  await setFault("");
  const find = () =>
    kenri.entitlementSql`select status, stream_seq, stream_duplicate, confirmed_at is not null as confirmed from outbox_events where event_id = ${event!.event_id}`;
  await until("it is confirmed", 15_000, async () => (await find())[0]?.confirmed);
  expect((await find())[0]).toEqual({ status: "PUBLISHED", stream_seq: seq, stream_duplicate: true, confirmed: true });
  expect(await kenri.inbox("unlucky")).toEqual([]);
  await mend(letter.id, { eventId: event!.event_id, userId: "unlucky" });
  expect((await reprocess(letter.id)).status).toBe(200);
  await until("it is delivered", 15_000, async () => (await kenri.inbox("unlucky"))[0]?.status === "SENT");
});

const setFault = (user_prefix: string) =>
  kenri.call("entitlement", "/debug/faults", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user_prefix }),
  });
