import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { connect } from "../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../kernel/postgres/statements.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";
import { counted } from "../testing/counted.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { insertOrder, orderAttempts, putOrders } from "../testing/order_rows.ts";
import type { OrdersSql } from "./sql.gen.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:9", CLEANUP_EVERY: "100ms", ORDERS_RETENTION: "1h", LEDGER_RETENTION: "1d" });
  await kenri.start("orders:api");
});
afterAll(() => kenri.close());

const sql = () => kenri.store("orders").sql;
const left = async (table: "outbox_orders" | "idempo_ledger") =>
  (await sql()`select idempotency_key from ${sql()(table)} order by 1`).map(row => String(row.idempotency_key).replace("tester:", ""));

describe("the janitor", () => {
  beforeEach(async () => void (await sql()`truncate outbox_orders, order_attempts, idempo_ledger, idempo_ledger_history`));

  test("deletes settled orders past their retention with their attempts; the ledger keeps them longer; open orders and those that need attention stay for ever", async () => {
    const ages = ["30 minutes", "2 hours", "3 years"];
    for (const age of ages) {
      for (const status of ["pending", "sending", "failed", "succeeded", "aborted"] as const)
        await insertOrder(sql(), { key: `${status} ${age}`, status, age });
      await insertOrder(sql(), { key: `cancelled ${age}`, status: "aborted", code: "CANCELLED", age });
    }
    await insertOrder(sql(), { key: "unknown 3 years", status: "failed", outcomeUnknown: true, code: "TIMEOUT", age: "3 years" });
    await insertOrder(sql(), { key: "cleaned up 2 hours", status: "succeeded", age: "2 hours", inOutbox: false });
    await insertOrder(sql(), { key: "cleaned up 3 years", status: "succeeded", age: "3 years", inOutbox: false });
    await orderAttempts.put(sql(), {}, "outbox_orders");
    const kept = ["aborted", "failed", "pending", "sending"].flatMap(status => ages.map(age => `${status} ${age}`));
    const janitor = await kenri.start("orders:janitor");
    const inOutbox = ["cancelled 30 minutes", ...kept, "succeeded 30 minutes", "unknown 3 years"].toSorted();
    const inLedger = [...inOutbox, "cancelled 2 hours", "succeeded 2 hours", "cleaned up 2 hours"].toSorted();
    await until("the settled orders are gone", 15_000, async () => (await left("outbox_orders")).length === inOutbox.length);
    await until("the old entries are gone", 15_000, async () => (await left("idempo_ledger")).length === inLedger.length);
    expect(await left("outbox_orders")).toEqual(inOutbox);
    expect((await left("idempo_ledger")).toSorted()).toEqual(inLedger);
    expect(await janitor.stop()).toBe(0);
    const [rows] = await sql()`select (select count(*) from order_attempts) as attempts,
      (select count(distinct order_id) from idempo_ledger_history) as histories`;
    expect({ ...rows }).toEqual({ attempts: inOutbox.length, histories: inLedger.length });
  });

  test("deletes in batches until none is left, and counts them", async () => {
    const old = { idempotency_key: "'tester:' || n", status: "'succeeded'", created_at: "now() - interval '2 days'" };
    await putOrders(sql(), old, "generate_series(1, 2500) n");
    const janitor = await kenri.start("orders:janitor");
    await until("all are gone", 15_000, async () => (await left("idempo_ledger")).length === 0);
    expect(await left("outbox_orders")).toEqual([]);
    for (const table of ["outbox_orders", "idempo_ledger"])
      expect(await counted(2500, () => janitor.metric("kenri_cleanup_deleted_total", `table="${table}"`))).toBe(2500);
    await janitor.stop();
  });

  test("keeps an entry as long as its order is in the outbox, even past its retention", async () => {
    await insertOrder(sql(), { key: "kept", status: "succeeded", age: "3 years" });
    await insertOrder(sql(), { key: "gone", status: "succeeded", age: "3 years", inOutbox: false });
    const app = connect({ url: kenri.store("orders").database.appUrl, name: "test", max: 1, statementTimeout: 10_000 });
    const { ledger } = bindStatements<OrdersSql>(app, readStatements(["orders"]), createMetrics(), 10_000);
    const clean = async () => (await ledger.cleanup({ retention_seconds: 0, limit: 10 })).length;
    expect([await clean(), await left("idempo_ledger")]).toEqual([1, ["kept"]]);
    await sql()`delete from outbox_orders`;
    expect([await clean(), await left("idempo_ledger")]).toEqual([1, []]);
    await app.end();
  });

  test("frees the key of an entry that it deleted", async () => {
    await insertOrder(sql(), { key: "freed", status: "aborted", code: "REJECTED", age: "3 days", inOutbox: false });
    const headers = { "content-type": "application/json", "idempotency-key": "freed" };
    const place = async () => {
      const body = JSON.stringify({ symbol: "OTHER", side: "SELL", quantity: "5", order_type: "MARKET" });
      return (await kenri.call("orders", "/do/order", { method: "POST", headers, body })).status;
    };
    expect(await place()).toBe(409);
    const janitor = await kenri.start("orders:janitor");
    await until("the entry is gone", 15_000, async () => (await left("idempo_ledger")).length === 0);
    expect(await place()).toBe(202);
    await janitor.stop();
  });
});
