import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../kernel/postgres/database.ts";
import { sqlRoot } from "../../kernel/postgres/statements.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { insertOrder, putOrders } from "../../testing/order_rows.ts";
import type { Entry } from "./entry.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:9" });
  await kenri.start("orders:api");
  const { sql } = kenri.store("orders");
  const statuses = ["pending", "succeeded", "aborted", "failed"] as const;
  for (let n = 0; n < 20; n++) await insertOrder(sql, { key: `k${n}`, status: statuses[n % 4]!, age: `${n} hours`, inOutbox: n < 16 });
  await insertOrder(sql, { key: "theirs", client: "rival" });
});
afterAll(() => kenri.close());

interface Page {
  readonly orders: readonly Entry[];
  readonly next_cursor?: string;
}
const page = async (query: string) => (await (await kenri.call("orders", `/do/orders?${query}`)).json()) as Page;

/** Every page of a list. */
async function all(query: string, limit: number): Promise<Entry[]> {
  const orders: Entry[] = [];
  let cursor = "";
  for (;;) {
    const { orders: more, next_cursor } = await page(`limit=${limit}&${query}${cursor}`);
    expect(more.length).toBeLessThanOrEqual(limit);
    orders.push(...more);
    if (!next_cursor) return orders;
    cursor = `&cursor=${next_cursor}`;
  }
}
const keysOf = (orders: readonly Entry[]) => orders.map(({ idempotency_key }) => idempotency_key);
const numbered = (numbers: readonly number[]) => numbers.map(n => `k${n}`);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

describe("the list of a client's orders", () => {
  test.each([1, 3, 7, 20, 200])("is newest first and complete in pages of %d", async limit => {
    expect(keysOf(await all("", limit))).toEqual(numbered(range(0, 20)));
  });

  test("has the entries as they are read one by one", async () => {
    const { orders } = await page("limit=20");
    for (const entry of orders)
      expect(entry).toEqual((await (await kenri.call("orders", `/do/order/${entry.idempotency_key}`)).json()) as Entry);
  });

  test.each([
    ["accepted", (n: number) => n % 4 === 0 || n % 4 === 3],
    ["succeeded", (n: number) => n % 4 === 1],
    ["failed", (n: number) => n % 4 === 2],
  ])("in the state %s has only these", async (status, matches) => {
    expect(keysOf(await all(`status=${status}`, 2))).toEqual(numbered(range(0, 20).filter(matches)));
  });

  test("of a time range has its begin and not its end", async () => {
    const { orders } = await page("limit=20");
    const [from, to] = [orders[12]!.accepted_at, orders[5]!.accepted_at];
    expect(keysOf(await all(`accepted_from=${from}&accepted_to=${to}`, 2))).toEqual(numbered(range(6, 13)));
    expect(keysOf(await all(`accepted_from=${from}&accepted_to=${to}&status=succeeded`, 1))).toEqual(["k9"]);
    const elsewhere = encodeURIComponent(`${new Date(Date.parse(to) + 9 * 3_600_000).toISOString().slice(0, 19)}${to.slice(19, -1)}+09:00`);
    expect(keysOf(await all(`accepted_to=${elsewhere}`, 50))).toEqual(numbered(range(6, 20)));
    expect(await page("accepted_from=9999-12-31T23:59:59-14:00")).toEqual({ orders: [] });
    expect(await page("accepted_to=0001-01-01T00:00:00%2B14:00")).toEqual({ orders: [] });
  });

  test("misses and repeats nothing while orders come and are settled", async () => {
    const { orders, next_cursor } = await page("limit=5");
    const { sql } = kenri.store("orders");
    await insertOrder(sql, { key: "newer", client: "tester" });
    await sql`update idempo_ledger set status = 'succeeded', settled_at = now() where idempotency_key = 'tester:k8'`;
    const rest = await all(`cursor=${next_cursor}`, 200);
    expect(keysOf([...orders, ...rest])).toEqual(numbered(range(0, 20)));
    expect(keysOf((await page("limit=1")).orders)).toEqual(["newer"]);
  });

  test("has orders of one moment in one order", async () => {
    const columns = { client_id: "'burst'", created_at: "timestamptz '2026-01-01T00:00:00Z'", idempotency_key: "'burst:b' || n" };
    await putOrders(kenri.store("orders").sql, columns, "generate_series(1, 30) n");
    const as = { headers: { authorization: `Bearer ${await kenri.newKey("burst", ["orders:read"])}` } };
    const first = (await (await kenri.call("orders", "/do/orders?limit=17", as)).json()) as Page;
    const second = (await (await kenri.call("orders", `/do/orders?limit=17&cursor=${first.next_cursor}`, as)).json()) as Page;
    expect(new Set(keysOf([...first.orders, ...second.orders])).size).toBe(30);
    expect(second.next_cursor).toBeUndefined();
  });
});

test("a page reads few blocks, however many orders the client and the others have", async () => {
  const { sql, database } = kenri.store("orders");
  const client_id = "(array['busy', 'other', 'third'])[1 + n % 3]";
  const created_at = "now() - make_interval(secs => n)";
  const status = "case when n % 30000 = 0 then 'aborted' else 'succeeded' end";
  await putOrders(sql, { client_id, created_at, status, idempotency_key: "'many:' || n" }, "generate_series(1, 60000) n");
  await sql`analyze idempo_ledger`;
  const app = connect({ url: database.appUrl, name: "test", max: 1, statementTimeout: 10_000 });
  try {
    await app.unsafe(`prepare list as ${readFileSync(join(sqlRoot, "orders/ledger/list.sql"), "utf8")}`).simple();
    const blocks = async (statuses: string, before: string) => {
      const call = `list('busy', '${statuses}', ${before}, '00000000-0000-0000-0000-000000000000', '-infinity', 51)`;
      const [row] = await app.unsafe(`explain (analyze, buffers, format json) execute ${call}`).simple();
      const [{ Plan: plan }] = row!["QUERY PLAN"] as [{ Plan: Record<string, number> }];
      return plan["Shared Hit Blocks"]! + plan["Shared Read Blocks"]!;
    };
    for (const statuses of ["{accepted,succeeded,failed}", "{succeeded}", "{failed}", "{accepted}"])
      for (const before of ["'infinity'", "now() - interval '12 hours'"]) expect(await blocks(statuses, before)).toBeLessThan(600);
  } finally {
    await app.end();
  }
});
