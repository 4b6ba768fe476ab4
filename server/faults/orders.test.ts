import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { counted } from "../testing/counted.ts";
import { allSettled, disagreements, placeOrders } from "../testing/order_outcomes.ts";
import { type OrderScene, orderScene } from "../testing/order_scene.ts";

async function scene(settings: Record<string, string> = {}): Promise<OrderScene> {
  const made = await orderScene(settings);
  closeAtEnd(made.close);
  return made;
}

const entriesOf = ({ sql }: OrderScene) =>
  sql`select l.status, l.reason_code as reason, o.attempts, l.broker_order_id is not null as has_id from idempo_ledger l join outbox_orders o using (order_id) order by l.order_id`;
const ended = async ({ sql, broker }: OrderScene, within = 60_000) => {
  await allSettled(sql, within);
  expect(await disagreements(sql, broker)).toEqual([]);
};
const repeated = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test.concurrent.each([
  ["the broker cuts the connection after it has executed", { drop_after: 1 }],
  ["the broker answers 500 after it has executed", { fail_500_after: 1 }],
])("%s: it is asked, nothing is executed twice, and the ledger has its order id", async (_, faults) => {
  const it = await scene();
  await it.broker.setFaults(faults);
  await placeOrders(it.sql, 10);
  const sender = await it.kenri.start("orders:sender");
  await ended(it);
  expect([...(await entriesOf(it))]).toEqual(repeated(10, { status: "succeeded", reason: null, attempts: 1, has_id: true }));
  expect(await it.broker.summary()).toMatchObject({ orders: 10, executions: 10, executed_twice: 0 });
  expect(await counted(10, () => sender.metric("kenri_orders_asked_total", 'answer="succeeded"'))).toBe(10);
  expect(await counted(10, () => sender.metric("kenri_outbox_sent_total"))).toBe(10);
  expect(await counted(10, () => sender.metric("kenri_orders_settle_seconds_count", 'status="succeeded"'))).toBe(10);
});

test.concurrent("a rejection is final: one attempt, one request", async () => {
  const it = await scene();
  await it.broker.setFaults({ reject: 1 });
  await placeOrders(it.sql, 5);
  const sender = await it.kenri.start("orders:sender");
  await ended(it);
  expect([...(await entriesOf(it))]).toEqual(repeated(5, { status: "failed", reason: "REJECTED", attempts: 1, has_id: false }));
  expect(await it.sql`select kind, outcome from order_attempts`).toHaveLength(5);
  expect(await counted(5, () => sender.metric("kenri_outbox_aborted_total", 'code="REJECTED"'))).toBe(5);
  expect(await counted(5, () => sender.metric("kenri_orders_settle_seconds_count", 'status="aborted"'))).toBe(5);
});

test.concurrent("sends that surely failed are made six times; then the order is aborted with the last reason", async () => {
  const it = await scene();
  await it.broker.setFaults({ fail_503: 1 });
  await placeOrders(it.sql, 3);
  await it.kenri.start("orders:sender");
  await ended(it);
  expect([...(await entriesOf(it))]).toEqual(repeated(3, { status: "failed", reason: "UNAVAILABLE", attempts: 6, has_id: false }));
  expect(await it.sql`select from order_attempts where kind = 'send' and outcome = 'retryable'`).toHaveLength(18);
});

test.concurrent("429 with Retry-After: nothing is claimed until then, and then all is sent", async () => {
  const it = await scene({ ORDERS_CONCURRENCY: "1" });
  await it.broker.setFaults({ too_many: 1, retry_after_s: 3 });
  await placeOrders(it.sql, 5);
  const sender = await it.kenri.start("orders:sender");
  await sender.logged("TOO_MANY_REQUESTS");
  const [first] = await it.sql`select next_attempt_at - failed_at >= interval '3 s' as waits from outbox_orders where attempts = 1`;
  expect(first).toEqual({ waits: true });
  await it.broker.setFaults();
  await ended(it);
  expect(await it.sql`select from order_attempts`).toHaveLength(6);
  const [gap] =
    await it.sql`select max(started_at) - min(started_at) >= interval '2900 ms' as kept from (select started_at from order_attempts order by started_at limit 2) a`;
  expect(gap).toEqual({ kept: true });
});

test.concurrent("the broker is away for a while: while the circuit is open no attempt is charged, and all is sent when it is back", async () => {
  const it = await scene();
  await it.broker.kill();
  const sender = await it.kenri.start("orders:sender");
  await placeOrders(it.sql, 8);
  await sender.logged("order.circuit_opened");
  await placeOrders(it.sql, 20);
  const charged = async () => (await it.sql`select sum(attempts)::int as sum from outbox_orders`)[0]!.sum as number;
  await until(
    "the calls under way have ended",
    30_000,
    async () => (await it.sql`select from outbox_orders where status = 'sending'`).length === 0,
  );
  const before = await charged();
  const polls = await sender.metric("kenri_loop_runs_total", 'loop="order.sender.0"');
  await until(
    "it has polled often",
    30_000,
    async () => (await sender.metric("kenri_loop_runs_total", 'loop="order.sender.0"')) > polls + 15,
  );
  expect(await charged()).toBe(before);
  expect(await sender.metric("kenri_orders_circuit_open")).toBe(1);
  expect(await it.sql`select from outbox_orders where attempts > 0`).not.toHaveLength(0);
  expect((await it.sql`select from outbox_orders where status = 'pending' and attempts = 0`).length).toBeGreaterThanOrEqual(20);
  await it.broker.start();
  await ended(it);
  expect(await it.sql`select from idempo_ledger where status = 'succeeded'`).toHaveLength(28);
  expect(await sender.metric("kenri_orders_circuit_open")).toBe(0);
});

test.concurrent("the broker is away for longer than all attempts: waiting orders are aborted with that reason, and those of unknown outcome are not", async () => {
  const it = await scene({ ORDERS_GIVE_UP_AFTER: "2s", ORDERS_SEND_WITHIN: "500ms", ORDERS_ASK_WITHIN: "500ms" });
  const sender = await it.kenri.start("orders:sender");
  await it.broker.setFaults({ delay_ms: 2000 });
  const [doubtful] = await placeOrders(it.sql, 1);
  await until("its outcome is unknown", 30_000, async () => (await it.sql`select from outbox_orders where outcome_unknown`).length === 1);
  await it.broker.kill();
  await placeOrders(it.sql, 6);
  await until(
    "the others are aborted",
    60_000,
    async () => (await it.sql`select from outbox_orders where status = 'aborted'`).length === 6,
  );
  expect(
    await it.sql`select from idempo_ledger where status = 'failed' and reason_code = 'BROKER_UNAVAILABLE' and settled_at is not null`,
  ).toHaveLength(6);
  expect([...(await it.sql`select idempotency_key, outcome_unknown from outbox_orders where status <> 'aborted'`)]).toEqual([
    { idempotency_key: doubtful!, outcome_unknown: true },
  ]);
  expect(await counted(6, () => sender.metric("kenri_outbox_aborted_total", 'code="BROKER_UNAVAILABLE"'))).toBe(6);
  await it.broker.start();
  await ended(it);
  expect([...(await it.sql`select status from idempo_ledger where idempotency_key = ${doubtful!}`)]).toEqual([{ status: "succeeded" }]);
  await it.kenri.start("orders:api");
  for (const { order_id } of await it.sql`select order_id from outbox_orders where status = 'aborted'`) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ reason: "it is back" }) };
    expect((await it.kenri.call("orders", `/ops/orders/${order_id}/requeue`, init)).status).toBe(200);
  }
  await ended(it);
  expect(await it.sql`select from idempo_ledger where status = 'succeeded'`).toHaveLength(7);
});

test.concurrent("a requeued order has a new key at the broker, so that an answer about the rejected one does not settle it", async () => {
  const it = await scene();
  await it.broker.setFaults({ reject: 1 });
  const [key] = await placeOrders(it.sql, 1);
  await it.kenri.start("orders:sender");
  await it.kenri.start("orders:api");
  await ended(it);
  await it.broker.setFaults({ drop_before: 1 });
  const [order] = await it.sql`select order_id from outbox_orders where status = 'aborted'`;
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reason: "its limit was raised" }),
  };
  expect((await it.kenri.call("orders", `/ops/orders/${order!.order_id}/requeue`, init)).status).toBe(200);
  await until("the broker was asked after a send without an answer", 30_000, async () => {
    const calls = await it.sql`select outcome from order_attempts where kind = 'ask'`;
    return calls.some(({ outcome }) => outcome === "not_known");
  });
  await it.broker.setFaults();
  await ended(it);
  expect((await entriesOf(it))[0]).toMatchObject({ status: "succeeded" });
  expect((await it.broker.book()).map(row => [row.key, row.state]).toSorted()).toEqual([
    [`1@${key}`, "filled"],
    [key!, "rejected"],
  ]);
});

test.concurrent("expires_at: an order is not sent after it, also while the circuit is open or it waits for its next attempt", async () => {
  const it = await scene({ ORDERS_BACKOFF: "1h", ORDERS_BACKOFF_CAP: "1h" });
  await it.broker.setFaults({ fail_503: 1, symbols: ["BUSY"] });
  await placeOrders(it.sql, 2, { expiresIn: "-1 second" });
  await placeOrders(it.sql, 2, { symbol: "BUSY", expiresIn: "4 seconds" });
  await placeOrders(it.sql, 2, { expiresIn: "1 hour" });
  await it.kenri.start("orders:sender");
  await ended(it);
  const outcomes = await entriesOf(it);
  expect(outcomes.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
    ...repeated(4, "failed EXPIRED"),
    ...repeated(2, "succeeded null"),
  ]);
  expect((await it.broker.book()).map(row => row.symbol)).toEqual(["ACME", "ACME"]);
});

test.concurrent("no more than four orders are at the broker at once for one process, and a burst uses all four soon", async () => {
  const it = await scene();
  await it.broker.setFaults({ delay_ms: 100 });
  await placeOrders(it.sql, 80);
  await it.kenri.start("orders:sender");
  await ended(it);
  expect((await it.broker.summary()).most_at_once).toBe(4);
  // 20 rounds of four. One lane alone would need 8 s.
  const [took] = await it.sql`select extract(epoch from max(started_at) - min(started_at))::float8 as seconds from order_attempts`;
  expect(took!.seconds).toBeLessThan(6);
});

test.concurrent("an order is sent as soon as it is accepted, and the client's wait ends with its outcome; a poll is not waited for", async () => {
  const it = await scene({ ORDERS_POLL: "1m", ORDERS_SWEEP: "1m" });
  await it.kenri.start("orders:api orders:sender");
  const place = async (key: string) => {
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const body = JSON.stringify({ symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" });
    expect((await it.kenri.call("orders", "/do/order", { method: "POST", headers, body })).status).toBe(202);
    return (await (await it.kenri.call("orders", `/do/order/${key}/wait?timeout=30`)).json()) as { status: string };
  };
  for (const key of ["first", "second"]) expect(await place(key)).toMatchObject({ status: "succeeded", outbox_status: "succeeded" });
  // The first holds a lane, and another lane sends the rest.
  await it.broker.setFaults({ delay_ms: 2500, symbols: ["SLOW"] });
  const [slow] = await placeOrders(it.sql, 1, { symbol: "SLOW" });
  const since = performance.now();
  await Promise.all(["a", "b", "c", "d"].map(place));
  expect(performance.now() - since).toBeLessThan(20_000);
  await ended(it);
  expect([...(await it.sql`select status from idempo_ledger where idempotency_key = ${slow!}`)]).toEqual([{ status: "succeeded" }]);
});
