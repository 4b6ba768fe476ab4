import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { anyOrder, insertOrder } from "../../testing/order_rows.ts";
import type { OrdersSql } from "../sql.gen.ts";
import { type AcceptOrder, acceptOrders } from "./accept.ts";
import { type CancelOrder, cancelOrders } from "./cancel.ts";
import { intakePlaces } from "./places.ts";

const deadline = 30_000;
let kenri: TestKenri;
let pool: Sql;
let accept: AcceptOrder;
let cancel: CancelOrder;
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.makeStore("orders");
  pool = connect({ url: kenri.store("orders").database.appUrl, name: "intake", max: 1, statementTimeout: deadline });
  const metrics = createMetrics();
  const { ledger } = bindStatements<OrdersSql>(pool, readStatements(["orders"]), metrics, deadline);
  const shared = { ledger, inPlace: intakePlaces({ atOnce: 1, wait: deadline }), adapter: "paper", log: silentLog };
  accept = acceptOrders({ ...shared, accepted: () => {}, metrics });
  cancel = cancelOrders({ ...shared, cancelled: () => {} });
});
afterAll(async () => {
  await pool.end();
  await kenri.close();
});

const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
const place = (clientId: string, key: string) => accept({ clientId, key, order: anyOrder, traceparent });

test("a client's flood of cancellations delays another client's order by a turn, and refuses none", async () => {
  const { sql } = kenri.store("orders");
  await insertOrder(sql, { client: "flooder", key: "flood" });
  const ended: string[] = [];
  const note = async (what: string, work: Promise<unknown>) => {
    await work;
    ended.push(what);
  };
  let all: Promise<void>[] = [];
  // The lock of another transaction holds the first cancellation, which holds the only connection.
  await sql.begin(async locking => {
    await locking`select from outbox_orders where idempotency_key = 'flooder:flood' for update`;
    all = Array.from({ length: 300 }, () => note("cancellation", cancel("flooder", "flood")));
    all.push(note("order", place("other", "one")));
    for (const one of all) one.catch(() => {}); // awaited below
    const held = () => locking`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`;
    await until("a cancellation waits for the lock", 15_000, async () => (await held()).length === 1);
  });
  await Promise.all(all);
  expect(ended.indexOf("order")).toBeLessThan(3);
}, 60_000);

test("a client has at most 500 requests waiting, and then others still have places", async () => {
  const flood = Array.from({ length: 600 }, () => cancel("flooder", "flood").then(() => "done", String));
  const order = place("other", "two");
  expect((await Promise.all(flood)).filter(text => text.includes("UNAVAILABLE"))).toHaveLength(99);
  expect((await order).isNew).toBe(true);
}, 60_000);
