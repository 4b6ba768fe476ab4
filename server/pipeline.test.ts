import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../stack/wait.ts";
import { type TestKenri, testKenri } from "./testing/kenri.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.start("entitlement notification");
  // The consumer becomes ready later than the APIs; a first grant shows that it is.
  await kenri.grant("warm-up", "item");
  await until("the first notification is sent", 10_000, async () => (await kenri.inbox("warm-up"))[0]?.status === "SENT");
});
afterAll(() => kenri.close());

const sent = (user: string, count: number, within = 1000) =>
  until(`${count} notifications of ${user} are SENT`, within, async () => {
    const inbox = await kenri.inbox(user);
    return inbox.length === count && inbox.every(row => row.status === "SENT");
  });

test("a grant is committed when it is answered, and is in the user's inbox as SENT within a second; a revoke likewise", async () => {
  const granted = await kenri.grant("alice", "item1");
  expect(granted.status).toBe(200);
  expect(await granted.json()).toEqual({
    user_id: "alice",
    stock_keeping_unit: "item1",
    status: "ACTIVE",
    version: 1,
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  await sent("alice", 1);
  const revoked = await kenri.revoke("alice", "item1", { reason: "refund" });
  expect(await revoked.json()).toMatchObject({ status: "REVOKED", version: 2 });
  await sent("alice", 2);
  const inbox = await kenri.inbox("alice");
  expect(inbox.map(row => [row.type, row.payload.version, row.stale])).toEqual([
    ["EntitlementRevoked", 2, false],
    ["EntitlementGranted", 1, false],
  ]);
});

test("one trace id goes from the request through the outbox row and the message to the notification and its log line", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const response = await kenri.grant("tracy", "item1", { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
  expect(response.headers.get("traceparent")).toContain(traceId);
  await sent("tracy", 1);
  const [row] = await kenri.inbox("tracy");
  expect(row?.trace_id).toBe(traceId);
  expect(row?.payload.trace_id).toBe(traceId);
  const [event] = await kenri.entitlementSql`select traceparent from outbox_events where event_id = ${row!.event_id}`;
  expect(event?.traceparent).toContain(traceId);
});

test("notification itself confirms to the outbox that it consumed an event", async () => {
  await kenri.grant("carla", "item1");
  await until("the event is confirmed", 5000, async () => {
    const [row] = await kenri.entitlementSql`select confirmed_at from outbox_events where aggregate_key = 'carla:item1'`;
    return row?.confirmed_at !== null;
  });
});

test("the parent thread serves the metrics of its workers", async () => {
  await until(
    "the relay's counter shows",
    5000,
    async () => (await kenri.metric("entitlement", "kenri_outbox_events_total", 'outcome="published"')) >= 1,
  );
  await until(
    "the sender's counter shows",
    5000,
    async () => (await kenri.metric("notification", "kenri_notifications_total", 'outcome="sent"')) >= 1,
  );
});

test("a system is ready once its workers have reported that they are healthy", async () => {
  const status = async () => (await kenri.readiness("entitlement")).status;
  await until("it is ready", 10_000, async () => (await status()) === "ready");
  expect((await kenri.call("entitlement", "/readyz")).status).toBe(200);
});
