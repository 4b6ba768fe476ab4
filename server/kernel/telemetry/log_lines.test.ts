import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { publishClaim } from "../../entitlement/outbox/publish_claim.ts";
import { sendClaim } from "../../notification/delivery/send_claim.ts";
import { type TestKenri, type TestProcess, testKenri } from "../../testing/kenri.ts";
import { putOnStream } from "../../testing/stream.ts";
import { fixedLease } from "../delivery/lease.ts";
import { faults } from "../life/fault.ts";
import { createFlow } from "../operator/flow.ts";
import { type Log, silentLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";

let kenri: TestKenri;
let entitlement: TestProcess;
let notification: TestProcess;
beforeAll(async () => {
  kenri = await testKenri({ OUTBOX_MAX_ATTEMPTS: "2", NOTIFICATION_MAX_ATTEMPTS: "1" });
  entitlement = await kenri.start("entitlement:api entitlement:relay", { FAULT_USER_PREFIX: "unpublished" });
  notification = await kenri.start("notification:api notification:consumer notification:sender", { FAULT_USER_PREFIX: "unsent" });
});
afterAll(() => kenri.close());

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };

/** The line that a process logs with this message and all these fields. */
async function line(from: TestProcess, msg: string, fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const fits = (one: Record<string, unknown>) => one.msg === msg && Object.entries(fields).every(([name, value]) => one[name] === value);
  const parsed = () => from.lines.filter(text => text.includes(msg)).map(text => JSON.parse(text) as Record<string, unknown>);
  await until(`${msg} ${JSON.stringify(fields)} is logged`, 15_000, () => parsed().some(fits));
  return parsed().find(fits)!;
}

describe("a line about a row says how to find it and what went wrong:", () => {
  test("an event that cannot be published", async () => {
    await kenri.grant("unpublished-1", "item", { headers });
    const expected = {
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      trace_id: traceId,
      error: { message: expect.stringContaining("made to fail") },
    };
    const user_id = "unpublished-1";
    expect(await line(entitlement, "outbox.retry", { user_id, status: "PENDING" })).toMatchObject({ ...expected, attempt_count: 1 });
    expect(await line(entitlement, "outbox.retry", { user_id, status: "FAILED" })).toMatchObject({ ...expected, attempt_count: 2 });
  });

  test("a notification that cannot be sent, and one whose worker is gone", async () => {
    await kenri.grant("unsent-1", "item", { headers });
    const failed = await line(notification, "notification.settle", { user_id: "unsent-1", status: "FAILED" });
    const [row] = await kenri.notificationSql`select notification_id, event_id from notifications where user_id = 'unsent-1'`;
    expect(failed).toMatchObject({
      ...row,
      trace_id: traceId,
      attempt_count: 1,
      error: { message: expect.stringContaining("made to fail") },
    });
    await kenri.notificationSql`update notifications set status = 'PROCESSING', locked_by = 'a worker that died', locked_at = now(),
      lease_until = now(), claim_token = gen_random_uuid() where notification_id = ${row?.notification_id}`;
    expect(await line(notification, "notification.reclaim", { count: 1 })).toMatchObject({
      notification_ids: [row?.notification_id],
      from: ["a worker that died"],
    });
  });

  test("a message that cannot be read", async () => {
    const event_id = crypto.randomUUID();
    const stream_seq = await putOnStream(kenri, new Uint8Array([0xff, 0x01]), { "Nats-Msg-Id": event_id, ...headers });
    expect(await line(notification, "intake.unreadable", { stream_seq })).toMatchObject({
      event_id,
      trace_id: traceId,
      stream: kenri.environment.ENTITLEMENT_STREAM,
      error: { message: expect.stringContaining("EntitlementEvent") },
    });
  });

  test("an operator's action, by its request", async () => {
    const event_id = crypto.randomUUID();
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"reason":"r"}' };
    await kenri.call("entitlement", `/ops/outbox/${event_id}/requeue`, init);
    expect(await line(entitlement, "http.request", { event_id })).toMatchObject({
      route: "/ops/outbox/:event_id/requeue",
      status: 404,
      client_id: "tester",
    });
  });
});

describe("a result that comes after the lease was lost, and a row that was not tried, are logged with their ids:", () => {
  const said: Record<string, unknown>[] = [];
  const say = (fields: object, msg: string) => void said.push({ ...fields, msg });
  const log = Object.assign(Object.create(silentLog), { warn: say, info: say }) as Log;
  const stopped = AbortSignal.abort();
  const shared = {
    faults: faults(),
    flow: createFlow(createMetrics()),
    worker: "w",
    lease: 1000,
    maxAttempts: 3,
    log,
    metrics: createMetrics(),
  };
  const claim = <Row>(row: Row) => ({ ...fixedLease(60_000), rows: [row] });
  const common = {
    event_id: crypto.randomUUID(),
    aggregate_key: "u:i",
    aggregate_version: 1,
    payload: { user_id: "u" },
    traceparent: "",
    attempt_count: 0,
  };

  test("events", async () => {
    const deliver = publishClaim({
      ...shared,
      outbox: { finalize: async () => [], retry: async () => [], release: async ({ event_id }) => event_id.map(id => ({ event_id: id })) },
      publish: async () => ({ outcome: "published", seq: 1, duplicate: false }),
      checks: { published: () => {} },
      breaker: { isOpen: () => false },
      publishWithin: 10,
    });
    const row = { ...common, event_type: "EntitlementGranted", publish_generation: 0 };
    await deliver(claim(row), new AbortController().signal);
    await deliver(claim(row), stopped);
    expect(said.splice(0)).toMatchObject([
      { msg: "outbox.fenced", what: "finalize", count: 1, event_ids: [row.event_id] },
      { msg: "outbox.release", count: 1, event_ids: [row.event_id] },
    ]);
  });

  test("notifications", async () => {
    const deliver = sendClaim({
      ...shared,
      notifications: {
        settle: async () => [],
        release: async ({ notification_id }) => notification_id.map(id => ({ notification_id: id })),
      },
      channels: new Map([["log", { name: "log", send: async () => ({ outcome: "sent" as const }) }]]),
      sendWithin: 10,
    });
    const notification_id = crypto.randomUUID();
    const row = { ...common, notification_id, user_id: "u", type: "EntitlementGranted", stale: false, channel: "log" };
    await deliver(claim(row), new AbortController().signal);
    await deliver(claim(row), stopped);
    expect(said.splice(0)).toMatchObject([
      { msg: "notification.fenced", what: "settle", count: 1, notification_ids: [notification_id] },
      { msg: "notification.release", count: 1, notification_ids: [notification_id] },
    ]);
  });
});
