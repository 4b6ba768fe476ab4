import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { fixedLease } from "../../kernel/delivery/lease.ts";
import { faults } from "../../kernel/life/fault.ts";
import { createFlow } from "../../kernel/operator/flow.ts";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { placeOrders } from "../../testing/order_outcomes.ts";
import type { AskResult, SendResult } from "../broker/adapter.ts";
import type { OrdersSql } from "../sql.gen.ts";
import { sendClaim } from "./send_claim.ts";

let database: TestDatabase;
let pool: Sql;
let sql: OrdersSql;
beforeAll(async () => {
  database = await testDatabase("orders");
  pool = connect({ url: database.adminUrl, name: "test", max: 4, statementTimeout: 5000 });
  sql = bindStatements<OrdersSql>(pool, readStatements(["kernel", "orders"]), createMetrics(), 5000);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool`delete from outbox_orders`;
});

const executed = { outcome: "succeeded", brokerOrderId: "p-1", answer: { state: "filled" } } as const;
const absent: AskResult = { outcome: "not_known", code: "UNKNOWN_ORDER", message: "no such order" };
const lost: SendResult = { outcome: "unknown", code: "TIMEOUT", message: "no answer" };

interface Scene {
  readonly send?: () => Promise<SendResult>;
  readonly ask?: () => Promise<AskResult>;
  readonly blocks?: () => boolean;
  readonly maxAttempts?: number;
  readonly backoff?: number;
  readonly sendWithin?: number;
}

/** A sender over a broker of the test. `runOnce` claims one order and delivers it; `calls` is what the broker got. */
function senderOver({
  send = async () => executed,
  ask = async () => absent,
  blocks = () => false,
  maxAttempts = 6,
  backoff = 60_000,
  sendWithin = 1000,
}: Scene = {}) {
  const calls: string[] = [];
  const seen = { settled: 0, sent: 0, aborted: [] as string[] };
  const noted = <Result>(what: string, call: () => Promise<Result>) => {
    calls.push(what);
    return call();
  };
  const deliver = sendClaim({
    orders: sql.orders,
    adapter: { name: "test", send: () => noted("send", send), ask: () => noted("ask", ask), probe: async () => undefined },
    gate: { blocks, saw: () => {} },
    faults: faults(),
    worker: "w",
    sendWithin,
    askWithin: 1000,
    policy: { maxAttempts, backoff, backoffCap: 160_000 },
    sent: { inc: () => void seen.sent++ },
    aborted: { inc: ({ code }) => void seen.aborted.push(code) },
    settled: () => void seen.settled++,
    flow: createFlow(createMetrics()),
    log: silentLog,
    metrics: createMetrics(),
  });
  async function runOnce(stopping = new AbortController().signal): Promise<number> {
    const lease = fixedLease(30_000);
    const rows = await sql.orders.claim({ worker: "w", token: lease.token, limit: 1, lease_seconds: 30, from: "-infinity" });
    if (rows.length > 0) await deliver({ ...lease, rows }, stopping);
    return rows.length;
  }
  return { calls, seen, runOnce };
}

const row = async () => (await pool`select status, attempts, outcome_unknown, last_error_code as code from outbox_orders`)[0];
/** The outcome of its last attempt, so long ago, is unknown; it is due. */
const doubt = (ago: string, attempts = 1) =>
  pool`update outbox_orders set status = 'failed', attempts = ${attempts}, outcome_unknown = true, last_error_code = 'TIMEOUT',
    failed_at = now() - ${ago}::interval, next_attempt_at = now()`;
const laterDue = async () =>
  (await pool`select extract(epoch from next_attempt_at - now())::float8 as seconds from outbox_orders`)[0]!.seconds as number;

test("an order is sent once and settled, with its call", async () => {
  await placeOrders(pool, 1);
  const { runOnce, calls, seen } = senderOver();
  expect([await runOnce(), await runOnce()]).toEqual([1, 0]);
  expect([calls, seen.settled, seen.sent, await row()]).toEqual([
    ["send"],
    1,
    1,
    { status: "succeeded", attempts: 1, outcome_unknown: false, code: null },
  ]);
  expect([...(await pool`select number, kind, worker, adapter, outcome, started_at <= now() as begun from order_attempts`)]).toEqual([
    { number: 1, kind: "send", worker: "w", adapter: "test", outcome: "succeeded", begun: true },
  ]);
});

test("an unknown outcome is asked about first; if the broker does not have the order, it is sent in the same claim", async () => {
  await placeOrders(pool, 1);
  await doubt("2 minutes");
  const { runOnce, calls } = senderOver();
  await runOnce();
  expect([calls, await row()]).toEqual([["ask", "send"], { status: "succeeded", attempts: 2, outcome_unknown: false, code: null }]);
  expect(
    (await pool`select number, kind, outcome from order_attempts order by number`).map(({ kind, outcome }) => `${kind} ${outcome}`),
  ).toEqual(["ask not_known", "send succeeded"]);
});

test.each([
  ["with attempts left", 1, null],
  ["without an attempt left", 6, null],
  ["after its expiry", 1, "-1 second"],
])(
  "an order that an operator hurries is not sent or aborted while its last request may be under way: %s",
  async (_, attempts, expiresIn) => {
    await placeOrders(pool, 1, expiresIn ? { expiresIn } : {});
    await doubt("10 seconds", attempts);
    const { runOnce, calls, seen } = senderOver();
    await runOnce();
    expect([calls, await row(), seen.settled]).toEqual([
      ["ask"],
      { status: "failed", attempts, outcome_unknown: true, code: "TIMEOUT" },
      0,
    ]);
    expect(Math.round(await laterDue())).toBe(60);
  },
);

test("when that time is over it is sent, or aborted if it may not be sent any more", async () => {
  await placeOrders(pool, 1);
  const { runOnce, calls, seen } = senderOver();
  await doubt("61 seconds", 6);
  await runOnce();
  expect([calls, seen.aborted, await row()]).toEqual([
    ["ask"],
    ["TIMEOUT"],
    { status: "aborted", attempts: 6, outcome_unknown: false, code: "TIMEOUT" },
  ]);
});

test("nothing is sent if the gate closes after the claim: the order is released and no attempt is charged", async () => {
  await placeOrders(pool, 1);
  const { runOnce, calls } = senderOver({ blocks: () => true });
  await runOnce();
  expect([calls, await row()]).toEqual([[], { status: "pending", attempts: 0, outcome_unknown: false, code: null }]);
});

test("a send starts only if twice its deadline is left of the lease; otherwise the order is released", async () => {
  await placeOrders(pool, 1);
  const late = senderOver({ sendWithin: 15_001 });
  await late.runOnce();
  expect([late.calls, await row()]).toEqual([[], { status: "pending", attempts: 0, outcome_unknown: false, code: null }]);
  const inTime = senderOver({ sendWithin: 7500 });
  await inTime.runOnce();
  expect(inTime.calls).toEqual(["send"]);
});

test("a stop releases what has not begun, and an order that was asked about stays unknown", async () => {
  await placeOrders(pool, 1);
  await doubt("2 minutes");
  const stop = new AbortController();
  const asking = senderOver({
    ask: async () => {
      stop.abort();
      return absent;
    },
  });
  await asking.runOnce(stop.signal);
  expect([asking.calls, await row()]).toEqual([["ask"], { status: "failed", attempts: 1, outcome_unknown: true, code: "TIMEOUT" }]);
  await pool`update outbox_orders set next_attempt_at = now()`;
  await asking.runOnce(stop.signal);
  expect([asking.calls, await row()]).toMatchObject([["ask"], { status: "pending", outcome_unknown: true }]);
});

test("an order that expires during the question is not sent", async () => {
  await placeOrders(pool, 1, { expiresIn: "300 milliseconds" });
  await doubt("2 minutes");
  const { runOnce, calls } = senderOver({ ask: () => Bun.sleep(400).then(() => absent) });
  await runOnce();
  expect([calls, await row()]).toEqual([["ask"], { status: "aborted", attempts: 1, outcome_unknown: false, code: "EXPIRED" }]);
});

test("fewer attempts by a new setting abort an order that has made them, without a send", async () => {
  await placeOrders(pool, 1);
  await pool`update outbox_orders set status = 'failed', attempts = 3, failed_at = now(), last_error_code = 'UNAVAILABLE'`;
  const { runOnce, calls } = senderOver({ maxAttempts: 3 });
  await runOnce();
  expect([calls, await row()]).toEqual([[], { status: "aborted", attempts: 3, outcome_unknown: false, code: "UNAVAILABLE" }]);
});

test("a result that comes after the lease changes nothing: the outcome is unknown, and stays so", async () => {
  await placeOrders(pool, 1);
  const { runOnce, seen } = senderOver({
    send: async () => {
      await pool`update outbox_orders set lease_until = now() - interval '1 second'`;
      expect(await sql.orders.reclaim({ limit: 10, from: "-infinity" })).toHaveLength(1);
      return executed;
    },
  });
  await runOnce();
  expect([seen.settled, await row()]).toEqual([0, { status: "pending", attempts: 0, outcome_unknown: true, code: "LEASE_ENDED" }]);
  expect([
    ...(await pool`select l.status from idempo_ledger l join outbox_orders o using (order_id) where l.status <> 'accepted'`),
  ]).toEqual([]);
});

test("six sends with an unknown outcome are made only after as many answers that the broker does not have the order", async () => {
  await placeOrders(pool, 1);
  const { runOnce, calls } = senderOver({ send: async () => lost, backoff: 1 });
  for (let n = 0; n < 12; n++) {
    await pool`update outbox_orders set next_attempt_at = now(), failed_at = failed_at - interval '1 second' where status = 'failed'`;
    await runOnce();
  }
  expect(calls).toEqual(["send", ...Array.from({ length: 5 }, () => ["ask", "send"]).flat(), "ask"]);
  expect(await row()).toEqual({ status: "aborted", attempts: 6, outcome_unknown: false, code: "TIMEOUT" });
});
