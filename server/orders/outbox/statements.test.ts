import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { insertOrder } from "../../testing/order_rows.ts";
import type { OrdersSql } from "../sql.gen.ts";

let kenri: TestKenri;
let app: Sql;
let statements: OrdersSql;
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.makeStore("orders");
  app = connect({ url: kenri.store("orders").database.appUrl, name: "test", max: 2, statementTimeout: 10_000 });
  statements = bindStatements<OrdersSql>(app, readStatements(["orders"]), createMetrics(), 10_000);
});
afterAll(async () => {
  await app.end();
  await kenri.close();
});
const sql = () => kenri.store("orders").sql;
beforeEach(async () => void (await sql()`truncate outbox_orders, order_attempts, idempo_ledger, idempo_ledger_history`));

const giveUp = async () => {
  const rows = await statements.orders.give_up({ worker: "w", limit: 10, away_seconds: 315, expiry_from: "2026-01-01" });
  return rows.map(({ code }) => code);
};

test("waiting orders are not aborted while another sender has orders executed", async () => {
  await insertOrder(sql(), { key: "waits", status: "pending", age: "1 hour" });
  await insertOrder(sql(), { key: "executed", status: "succeeded", age: "1 minute" });
  expect(await giveUp()).toEqual([]);
  await sql()`update outbox_orders set settled_at = now() - interval '316 seconds' where status = 'succeeded'`;
  expect(await giveUp()).toEqual(["BROKER_UNAVAILABLE"]);
});

test("the time of an unknown outcome is kept until the outcome is known", async () => {
  await insertOrder(sql(), { key: "lost", status: "sending", age: "1 hour" });
  const since = async () => (await sql()`select unknown_since::text as since from outbox_orders`)[0]!.since as string | null;
  await sql()`update outbox_orders set lease_until = now() - interval '1 second'`;
  expect(await since()).toBeNull();
  expect(await statements.orders.reclaim({ limit: 10, from: "2026-01-01" })).toHaveLength(1);
  const first = await since();
  expect(first).not.toBeNull();
  await sql()`update outbox_orders set asks = asks + 1`;
  expect(await since()).toBe(first);
  const [invariant] = await statements.consistency.unknown({ most: 10 });
  expect(Date.now() - Date.parse(invariant!.oldest!)).toBeLessThan(60_000);
  await sql()`update outbox_orders set outcome_unknown = false`;
  expect(await since()).toBeNull();
});
