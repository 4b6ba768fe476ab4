import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../stack/wait.ts";
import { allRoles, type TestProcess } from "./testing/kenri.ts";
import { type TestMatchmaking, testMatchmaking } from "./testing/matchmaking.ts";
import { anyOrder } from "./testing/order_rows.ts";
import { otlpReceiver, type ReceivedSpan } from "./testing/otlp_receiver.ts";

const receiver = otlpReceiver();
/** What the broker gets with each request. */
const atBroker: Headers[] = [];
const broker = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    atBroker.push(request.headers);
    return Response.json({ broker_order_id: "p-1", state: "filled", quantity: "1" }, { status: 201 });
  },
});
const secretOfReceiver = "a-token-for-the-receiver";
const traced = {
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secretOfReceiver}`,
  OTEL_BSP_SCHEDULE_DELAY: "50",
  OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
};

let matchmaking: TestMatchmaking;
let process: TestProcess;
beforeAll(async () => {
  matchmaking = await testMatchmaking({ ...traced, BROKER_URL: broker.url.href, CHANGE_LANES: "1" });
  const roles = `${allRoles} orders:api orders:sender matchmaking:api matchmaking:matcher matchmaking:relay`;
  process = await matchmaking.kenri.start(roles);
  await sentTo(newTrace());
});
afterAll(async () => {
  await matchmaking.close();
  await Promise.all([receiver.close(), broker.stop(true)]);
});

const hex = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
const newTrace = (flags = "01") => ({ traceId: hex(16), callerId: hex(8), flags });
type Trace = ReturnType<typeof newTrace>;
const traceparentOf = ({ traceId, callerId, flags }: Trace) => `00-${traceId}-${callerId}-${flags}`;
const spansOf = ({ traceId }: Trace) => receiver.spans.filter(span => span.traceId === traceId);
const spanIn = (trace: Trace, name: string) => {
  const found = spansOf(trace).filter(span => span.name === name);
  if (found.length !== 1) throw new Error(`${found.length} spans ${name} in ${spansOf(trace).map(span => span.name)}`);
  return found[0]!;
};
const has = (trace: Trace, name: string) =>
  until(`${name} arrives`, 10_000, () => spansOf(trace).some(span => span.name === name && span.endedAt > 0n));
const linkTo = ({ traceId, spanId }: ReceivedSpan) => `${traceId}-${spanId}`;

const grant = (user: string, trace: Trace) => matchmaking.kenri.grant(user, "item", { headers: { traceparent: traceparentOf(trace) } });
async function sentTo(trace: Trace): Promise<void> {
  expect((await grant(crypto.randomUUID(), trace)).status).toBe(200);
  await has(trace, "notification.send");
}

const grantNames = ["POST /v1/entitlements/grants", "entitlement.change", "outbox.publish", "notification.intake", "notification.send"];

/** The request ends after its response, so its span may come after all others. */
async function hasWalk(trace: Trace): Promise<void> {
  for (const name of grantNames) await has(trace, name);
}

/** The walk of a grant: who is whose child. */
function expectWalk(trace: Trace): ReceivedSpan[] {
  const walk = grantNames.map(name => spanIn(trace, name));
  const [request, change, publish, intake, send] = walk as [ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan];
  expect([request, change, publish, intake, send].map(({ parentId }) => parentId)).toEqual([
    trace.callerId,
    request.spanId,
    request.spanId,
    publish.spanId,
    intake.spanId,
  ]);
  return walk;
}

describe("one grant is one trace, from the request to the send:", () => {
  const trace = newTrace();
  beforeAll(async () => {
    const response = await grant("tracy", trace);
    expect(response.headers.get("traceparent")).toMatch(new RegExp(`^00-${trace.traceId}-[0-9a-f]{16}-01$`));
    await hasWalk(trace);
    await has(trace, "outbox.finalize");
  });

  test("each step is the child of the one that caused it", () => {
    const walk = expectWalk(trace);
    expect(walk.map(({ kind, service, role }) => [kind, service, role])).toEqual([
      ["server", "kenri-entitlement", "entitlement:api"],
      ["internal", "kenri-entitlement", "entitlement:api"],
      ["producer", "kenri-entitlement", "entitlement:api"],
      ["consumer", "kenri-notification", "notification:consumer"],
      ["internal", "kenri-notification", "notification:consumer"],
    ]);
    expect(walk.every(({ startedAt, endedAt, isError }) => endedAt >= startedAt && !isError)).toBe(true);
  });

  test("statements for one trace are in it, and statements for a batch link to it", () => {
    const [request, change, publish, intake] = expectWalk(trace) as [ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan];
    expect(spanIn(trace, "outbox.finalize").parentId).toBe(request.spanId);
    expect(spansOf(trace).map(({ name }) => name)).not.toContain("notification.settle"); // the intake has delivered it
    for (const [member, linked] of [
      [change, request],
      [intake, publish],
    ] as const) {
      const batch = receiver.spans.find(span => member.links.includes(linkTo(span)))!;
      expect(batch).toMatchObject({ name: `${member.name}.batch`, parentId: "", attributes: { "kenri.batch.size": 1 } });
      expect(batch.traceId).not.toBe(trace.traceId);
      expect(batch.links).toEqual([linkTo(linked)]);
    }
  });

  test("the rows hold the spans that wrote them, and the spans name the rows", async () => {
    const [request, change, , intake, send] = expectWalk(trace) as [ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan, ReceivedSpan];
    const { entitlementSql, notificationSql } = matchmaking.kenri;
    const [event] = await entitlementSql`select event_id, traceparent from outbox_events where aggregate_key = 'tracy:item'`;
    const [notification] = await notificationSql`select notification_id, traceparent from notifications where user_id = 'tracy'`;
    expect(event?.traceparent).toBe(`00-${trace.traceId}-${request.spanId}-01`);
    expect(notification?.traceparent).toBe(`00-${trace.traceId}-${intake.spanId}-01`);
    expect(change.attributes).toMatchObject({ "kenri.event_id": event?.event_id, "kenri.response_code": 200 });
    expect(send.attributes).toMatchObject({ "kenri.event_id": event?.event_id, "kenri.notification_id": notification?.notification_id });
  });
});

test("64 grants of one statement stay 64 traces: no span has a parent in another one", async () => {
  const traces = Array.from({ length: 64 }, () => newTrace());
  const { entitlementSql } = matchmaking.kenri;
  // The lock holds the statement of the first grant, so that the others wait for the next one together.
  const { first, others } = await entitlementSql.begin(async tx => {
    await tx`lock table outbox_events in exclusive mode`;
    const first = grant(crypto.randomUUID(), newTrace());
    await until("the first one waits", 5000, async () => {
      const [row] =
        await entitlementSql`select count(*) as waiting from pg_locks where not granted and relation = 'outbox_events'::regclass`;
      return row?.waiting > 0;
    });
    const others = traces.map(trace => grant(crypto.randomUUID(), trace));
    // Requests that were sent later are answered: so these are in the queue.
    for (let n = 0; n < 3; n++) await matchmaking.kenri.call("entitlement", "/readyz");
    return { first, others };
  });
  expect((await first).status).toBe(200);
  for (const answer of await Promise.all(others)) expect(answer.status).toBe(200);
  for (const trace of traces) await hasWalk(trace);
  for (const trace of traces) {
    expectWalk(trace);
    const known = new Set([trace.callerId, ...spansOf(trace).map(({ spanId }) => spanId)]);
    expect(spansOf(trace).filter(({ parentId }) => !known.has(parentId))).toEqual([]);
  }
  const batches = receiver.spans.filter(({ name }) => name === "entitlement.change.batch");
  const sizes = traces.map(trace => {
    const [link, ...none] = spanIn(trace, "entitlement.change").links;
    const batch = batches.find(span => linkTo(span) === link)!;
    expect(none).toEqual([]);
    expect(batch.links).toContain(linkTo(spanIn(trace, "POST /v1/entitlements/grants")));
    expect(batch.links).toHaveLength(Number(batch.attributes["kenri.batch.size"]));
    return batch.links.length;
  });
  expect(Math.max(...sizes)).toBeGreaterThan(32);
});

test("one order is one trace, from the request to the broker, which gets its context", async () => {
  const trace = newTrace();
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID(), traceparent: traceparentOf(trace) };
  const placed = await matchmaking.kenri.call("orders", "/do/order", { method: "POST", headers, body: JSON.stringify(anyOrder) });
  expect(placed.status).toBe(202);
  const { order_id } = (await placed.json()) as { order_id: string };
  for (const name of ["POST /do/order", "order.settle"]) await has(trace, name);
  const request = spanIn(trace, "POST /do/order");
  const [accept, send, call, settle] = ["order.accept", "order.send", "POST", "order.settle"].map(name => spanIn(trace, name)) as [
    ReceivedSpan,
    ReceivedSpan,
    ReceivedSpan,
    ReceivedSpan,
  ];
  expect(request).toMatchObject({ kind: "server", parentId: trace.callerId, attributes: { "http.response.status_code": 202 } });
  expect(accept).toMatchObject({ kind: "client", parentId: request.spanId, attributes: { "kenri.order_id": order_id } });
  expect(send).toMatchObject({ role: "orders:sender", parentId: request.spanId, attributes: { "kenri.outcome": "succeeded" } });
  expect(call).toMatchObject({ kind: "client", parentId: send.spanId, attributes: { "http.response.status_code": 201 } });
  expect(settle.parentId).toBe(request.spanId);
  expect(atBroker.map(one => one.get("traceparent"))).toContain(`00-${trace.traceId}-${call.spanId}-01`);
});

test("a match joins two traces: its publish is in one and links to the other, and each player's notice is in its own", async () => {
  const traces = [newTrace(), newTrace()] as const;
  for (const [index, trace] of traces.entries()) {
    const response = await matchmaking.kenri.call("matchmaking", "/v1/matchmaking/queues/casual/tickets", {
      method: "POST",
      headers: {
        authorization: `Bearer ${await matchmaking.mint.token("matchmaking", `player-${index}`)}`,
        "content-type": "application/json",
        traceparent: traceparentOf(trace),
      },
      body: JSON.stringify({ party_size: 1, attributes: {}, idempotency_key: crypto.randomUUID() }),
    });
    expect(response.status).toBe(200);
  }
  for (const trace of traces) for (const name of ["POST /v1/matchmaking/queues/:mode/tickets", "notification.send"]) await has(trace, name);
  const joins = traces.map(trace => spanIn(trace, "POST /v1/matchmaking/queues/:mode/tickets"));
  for (const [index, trace] of traces.entries()) {
    expect(spanIn(trace, "redis join")).toMatchObject({ kind: "client", parentId: joins[index]!.spanId });
    expect(spanIn(trace, "notification.send").parentId).toBe(spanIn(trace, "notification.intake").spanId);
  }
  const first = traces.findIndex(trace => spansOf(trace).some(({ name }) => name === "match.publish"));
  const [own, other] = [traces[first]!, traces[1 - first]!];
  const publish = spanIn(own, "match.publish");
  expect(publish).toMatchObject({ kind: "producer", parentId: joins[first]!.spanId, links: [linkTo(joins[1 - first]!)] });
  expect(spanIn(own, "notification.intake").parentId).toBe(publish.spanId);
  expect(spanIn(other, "notification.intake").parentId).toBe(joins[1 - first]!.spanId);
  expect(spanIn(other, "notification.intake").links).toContain(linkTo(publish));
});

test("a trace that its caller does not sample exports nothing, and has its ids all the same", async () => {
  const unsampled = newTrace("00");
  const response = await grant("quiet", unsampled);
  expect(response.headers.get("traceparent")).toMatch(new RegExp(`^00-${unsampled.traceId}-[0-9a-f]{16}-00$`));
  await until("it is sent", 5000, async () => (await matchmaking.kenri.inbox("quiet"))[0]?.status === "SENT");
  const [row] = await matchmaking.kenri.notificationSql`select traceparent from notifications where user_id = 'quiet'`;
  expect(row?.traceparent).toMatch(new RegExp(`^00-${unsampled.traceId}-[0-9a-f]{16}-00$`));
  await sentTo(newTrace());
  expect(spansOf(unsampled)).toEqual([]);
});

test("a refused request has a span with its route and status, and probes have none", async () => {
  const trace = newTrace();
  await matchmaking.kenri.call("entitlement", "/v1/entitlements/grants", {
    method: "POST",
    headers: { traceparent: traceparentOf(trace) },
  });
  await matchmaking.kenri.call("entitlement", "/readyz", { headers: { traceparent: traceparentOf(trace) } });
  await sentTo(newTrace());
  expect(spansOf(trace).map(({ name, isError, attributes }) => [name, isError, attributes["http.response.status_code"]])).toEqual([
    ["POST /v1/entitlements/grants", false, 415],
  ]);
});

test("no span holds a secret, a user or a payload, and no line of the log the token of the receiver", () => {
  const bodies = receiver.bodies.join("\n");
  for (const hidden of [matchmaking.kenri.key, secretOfReceiver, "tracy", "player-0", "insert into", "select "])
    expect(bodies).not.toContain(hidden);
  expect(bodies).toContain("deployment.environment.name");
  expect(receiver.headers.at(-1)?.get("authorization")).toBe(`Bearer ${secretOfReceiver}`);
  expect(process.lines.filter(line => line.includes(secretOfReceiver))).toEqual([]);
});

test("a receiver that hangs or is away costs spans, two lines of the log and no request; the stop ends in time", async () => {
  const small = {
    OTEL_BSP_MAX_QUEUE_SIZE: "20",
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10",
    OTEL_BSP_EXPORT_TIMEOUT: "500",
    SHUTDOWN_WITHIN: "4s",
  };
  const lost = (outcome: string) => matchmaking.kenri.metric("entitlement", "kenri_trace_spans_total", `outcome="${outcome}"`);
  receiver.mode = "hang";
  try {
    await process.stop();
    const another = await matchmaking.kenri.start("entitlement:api", small);
    const many = await Promise.all(Array.from({ length: 60 }, () => grant(crypto.randomUUID(), newTrace())));
    expect(many.map(({ status }) => status)).toEqual(Array(60).fill(200));
    await until("spans are dropped", 5000, async () => (await lost("dropped")) > 0);
    await until("exports have failed", 10_000, async () => (await lost("failed")) > 0);
    receiver.mode = "answer";
    await until(
      "exports work again",
      10_000,
      async () => {
        await grant(crypto.randomUUID(), newTrace());
        return (await lost("exported")) > 0;
      },
      100,
    );
    receiver.mode = "hang";
    await grant(crypto.randomUUID(), newTrace());
    const since = performance.now();
    expect(await another.stop()).toBe(0);
    expect(performance.now() - since).toBeLessThan(4000);
    expect(another.lines.filter(line => line.includes("trace.export")).length).toBeLessThan(5);
  } finally {
    receiver.mode = "answer";
  }
}, 40_000);
