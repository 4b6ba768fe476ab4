import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { operators } from "../../testing/operators.ts";
import { insertOrder, orderAttempts, type TestOrder } from "../../testing/order_rows.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { quoted } from "../../testing/rows.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
let sql: postgres.Sql;
let people: ReturnType<typeof operators>;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:1", BULK_PACE: "20ms" }, undefined, mint);
  await kenri.start("orders:api");
  sql = kenri.store("orders").sql;
  people = operators(kenri, mint, { system: "orders", kind: "orders" } as never);
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

/** An order of the client `tester` with two calls to the broker. Returns its id. */
async function put(key: string, order: TestOrder = { status: "aborted" }): Promise<string> {
  await insertOrder(sql, { key, attempts: 2, ...order });
  const [row] = await sql`select order_id from idempo_ledger where idempotency_key = ${`tester:${key}`}`;
  const id = row?.order_id as string;
  await orderAttempts.put(sql, { order_id: quoted(id), number: "n", code: "'UNAVAILABLE'" }, "generate_series(1, 2) n");
  return id;
}
const reason = "the client has ordered elsewhere";
const discard = (role: string, id: string) => people.post(role, `/ops/orders/${id}/discard`, { reason });
const rowsOf = async (ids: readonly string[]) => {
  const [count] = await sql`select (select count(*)::int from outbox_orders where order_id = any (${[...ids]}::uuid[])) as orders,
    (select count(*)::int from order_attempts where order_id = any (${[...ids]}::uuid[])) as calls,
    (select count(*)::int from idempo_ledger where order_id = any (${[...ids]}::uuid[]) and status = 'failed') as failed,
    (select count(*)::int from idempo_ledger_history where order_id = any (${[...ids]}::uuid[])) as changes`;
  return count;
};
const auditOf = (id: string) => sql`select actor, action, reason, detail from operator_actions where subject = ${id}`;
const entryOf = async (key: string) => {
  const answer = await kenri.call("orders", `/do/order/${key}`);
  return { status: answer.status, body: (await answer.json()) as object };
};

describe("one aborted order", () => {
  test("is discarded by an ADMIN only, and once for all who ask", async () => {
    const id = await put("once");
    const apiKey = await kenri.newKey("robot", ["ops:read", "ops:write"]);
    for (const role of ["VIEWER", "OPERATOR", apiKey]) expectRefusal(await discard(role, id), { status: 403, code: "FORBIDDEN" });
    expect(await rowsOf([id])).toEqual({ orders: 1, calls: 2, failed: 1, changes: 2 });
    const answers = await Promise.all(Array.from({ length: 4 }, () => discard("ADMIN", id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await auditOf(id)).toHaveLength(1);
  });

  test("leaves its ledger entry, which its client still reads; the audit keeps its calls", async () => {
    const id = await put("kept");
    const before = await entryOf("kept");
    expect(before.body).toMatchObject({ status: "failed", outbox_status: "aborted", reason_code: "REJECTED" });
    expect((await discard("ADMIN", id)).status).toBe(200);
    expect(await rowsOf([id])).toEqual({ orders: 0, calls: 0, failed: 1, changes: 2 });
    const { outbox_status: _, ...left } = before.body as { outbox_status?: string };
    expect(await entryOf("kept")).toEqual({ status: 200, body: left });
    const [noted] = await auditOf(id);
    expect(noted).toMatchObject({ actor: "user:admin", action: "order.discard", reason });
    expect(noted!.detail).toMatchObject({ order_id: id, status: "aborted", last_error_code: "REJECTED", attempts: 2 });
    expect(noted!.detail.calls_made).toMatchObject([{ number: 2, kind: "send", code: "UNAVAILABLE" }, { number: 1 }]);
    expect(noted!.detail).not.toHaveProperty("claim_token");
    expectRefusal(await people.post("ADMIN", `/ops/orders/${id}/requeue`, { reason }), { status: 404, code: "NOT_FOUND" });
  });

  test("is not accepted again under its key", async () => {
    const id = await put("again");
    await discard("ADMIN", id);
    const headers = { "content-type": "application/json", "idempotency-key": "again" };
    const body = JSON.stringify({ symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" });
    const answer = await kenri.call("orders", "/do/order", { method: "POST", headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([200, { order_id: id, status: "failed" }]);
    expect(await rowsOf([id])).toMatchObject({ orders: 0 });
  });
});

test.each([
  ["pending", { status: "pending" }],
  ["failed", { status: "failed", code: "UNAVAILABLE" }],
  ["sending", { status: "sending" }],
  ["unknown", { status: "failed", outcomeUnknown: true, code: "TIMEOUT" }],
  ["succeeded", { status: "succeeded", brokerOrderId: "P-1" }],
] as const)("an order that is %s is not discarded", async (key, order: TestOrder) => {
  const id = await put(key, order);
  expectRefusal(await discard("ADMIN", id), { status: 409, code: "NOT_FAILED" });
  expect(await rowsOf([id])).toMatchObject({ orders: 1, calls: 2 });
  expect(await auditOf(id)).toHaveLength(0);
});

test("orders are discarded in bulk by an ADMIN, cancelled ones too; entries stay, and the audit names the operation", async () => {
  const code = "MARKET_CLOSED";
  const ids = await Promise.all(["bulk-1", "bulk-2", "bulk-3"].map(key => put(key, { status: "aborted", code })));
  const open = await put("bulk-4", { status: "failed", code });
  const filter = { fingerprint: code };
  const preview = await people.preview(filter, "discard");
  expect(preview).toMatchObject({ count: 4, eligible: 3, ineligible: { failed: 1 } });
  expectRefusal(await people.start("OPERATOR", filter, preview, "discard"), { status: 403, code: "FORBIDDEN" });
  const [changed, ...others] = ids;
  const { operation_id } = await people.started("ADMIN", filter, "discard");
  await people.post("OPERATOR", `/ops/orders/${changed}/requeue`, { reason });
  const sender = kenri.launch("orders:sender");
  expect(await people.reached(operation_id, ({ status }) => status === "DONE")).toMatchObject({ total: 3, done: 2, skipped: 1 });
  expect(await rowsOf(others)).toEqual({ orders: 0, calls: 0, failed: 2, changes: 4 });
  expect(await rowsOf([changed!, open])).toMatchObject({ orders: 2 });
  for (const id of others)
    expect(await auditOf(id)).toMatchObject([
      { action: "order.discard", detail: { operation_id, calls_made: [{ number: 2 }, { number: 1 }] } },
    ]);
  expect(await entryOf("bulk-3")).toMatchObject({ status: 200, body: { status: "failed", reason_code: code } });
  await sender.stop();

  const cancelled = await put("bulk-5", { status: "aborted", code: "CANCELLED" });
  expect(await people.preview({ fingerprint: "CANCELLED" }, "discard")).toMatchObject({ eligible: 1, sample: [cancelled] });
});
