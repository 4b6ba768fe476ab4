import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { ledgerEntries, orderAttempts, outboxOrders } from "../../testing/order_rows.ts";
import { quoted } from "../../testing/rows.ts";
import type { OrdersSql } from "../sql.gen.ts";

let kenri: TestKenri;
let sql: postgres.Sql;
let pool: Sql;
let statements: OrdersSql;
beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:1" });
  await kenri.makeStore("orders");
  await kenri.start("orders:api");
  const store = kenri.store("orders");
  sql = store.sql;
  pool = connect({ url: store.database.appUrl, name: "test", max: 8, statementTimeout: 10_000 });
  statements = bindStatements<OrdersSql>(pool, readStatements(["kernel", "orders"]), createMetrics(), 10_000);
});
afterAll(async () => {
  await pool.end();
  await kenri.close();
});

/** Inserts orders of a client with their ledger entries. */
async function put(client: string, columns: Parameters<typeof outboxOrders.text>[0], count = 1): Promise<string[]> {
  const made = outboxOrders.text({ client_id: quoted(client), ...columns }, `generate_series(1, ${count}) n`);
  const rows = await sql.unsafe(
    `with made as (${made} returning *), entry as (${ledgerEntries.text({}, "made")}) select order_id from made`,
  );
  return rows.map(row => row.order_id as string);
}
const aborted = (code: string) => ({
  status: "'aborted'",
  attempts: 6,
  last_error_code: quoted(code),
  last_error_msg: quoted(`it was ${code}`),
});

async function post(path: string, body: object) {
  const response = await kenri.call("orders", `/ops/orders/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const get = async (path: string) => (await kenri.call("orders", `/ops/orders${path}`)).json() as Promise<Record<string, unknown>>;
const reason = "the broker is back";
const requeue = (id: string) => post(`${id}/requeue`, { reason });
const stateOf = async (id: string) =>
  (
    await sql`select o.status, o.attempts, o.settled_at, o.queued_at > o.created_at as is_queued_anew, l.status as entry, l.reason_code
      from outbox_orders o left join idempo_ledger l using (order_id) where order_id = ${id}`
  )[0];
const changesOf = (id: string) => sql`select actor, from_status, to_status, reason from idempo_ledger_history where order_id = ${id}`;
const auditsOf = (id: string) => sql`select actor, action, reason from operator_actions where subject = ${id}`;
const created_at = "now() - interval '1 hour'";

describe("a requeue", () => {
  test("makes an aborted order pending and its ledger entry accepted, with history and audit, once for all who ask", async () => {
    const [id] = await put("once", { ...aborted("UNAVAILABLE"), created_at });
    const answers = await Promise.all(Array.from({ length: 6 }, () => requeue(id!)));
    for (const answer of answers) expect(answer).toEqual({ status: 200, body: { order_id: id, status: "pending" } });
    expect(await stateOf(id!)).toEqual({
      status: "pending",
      attempts: 0,
      settled_at: null,
      is_queued_anew: true,
      entry: "accepted",
      reason_code: null,
    });
    const [actor] = (await auditsOf(id!)).map(row => row.actor);
    expect([...(await auditsOf(id!))]).toEqual([{ actor, action: "order.requeue", reason }]);
    expect([...(await changesOf(id!))]).toEqual([{ actor, from_status: "failed", to_status: "accepted", reason }]);
    await sql`update outbox_orders set status = 'succeeded', settled_at = now() where order_id = ${id!}`;
    expect((await requeue(id!)).status).toBe(200);
  });

  test.each(["CANCELLED", "EXPIRED"])("of an order that was %s is refused with a sentence, and changes nothing", async code => {
    const [id] = await put("never", { ...aborted(code), expires_at: "now() - interval '1 minute'" });
    const before = await stateOf(id!);
    expect(await requeue(id!)).toMatchObject({
      status: 409,
      body: { code: "NEVER_REQUEUED", detail: expect.stringMatching(/never sent again/) },
    });
    expect([await stateOf(id!), (await changesOf(id!)).length, (await auditsOf(id!)).length]).toEqual([before, 0, 0]);
  });

  test("of an order whose ledger entry is gone is refused: it would be sent without an account", async () => {
    const [id] = await put("lost", aborted("UNAVAILABLE"));
    await sql`delete from idempo_ledger where order_id = ${id!}`;
    expect(await requeue(id!)).toMatchObject({ status: 409, body: { code: "NEVER_REQUEUED", detail: expect.stringContaining("ledger") } });
    expect(await stateOf(id!)).toMatchObject({ status: "aborted" });
  });

  test.each(["pending", "failed", "sending", "succeeded"])("of an order that is %s is refused", async status => {
    const [id] = await put("other", { status: quoted(status) });
    expect(await requeue(id!)).toMatchObject({
      status: 409,
      body: { code: "NOT_FAILED", detail: `the order is ${status}; only aborted ones can be requeued` },
    });
  });

  test("of an unknown order is not found", async () => {
    expect((await requeue(crypto.randomUUID())).status).toBe(404);
  });
});

describe("a retry", () => {
  test("makes a failed order due at once; it stays failed and its attempts go on counting", async () => {
    const [id] = await put("later", { status: "'failed'", attempts: 3, next_attempt_at: "now() + interval '1 hour'" });
    const answer = await post(`${id}/retry`, { reason });
    expect(answer).toMatchObject({ status: 200, body: { order_id: id, status: "failed", attempts: 3 } });
    expect(Date.parse(answer.body.next_attempt_at as string)).toBeLessThan(Date.now() + 60_000);
    expect(await auditsOf(id!)).toMatchObject([{ action: "order.retry" }]);
  });

  test.each(["sending", "succeeded", "aborted"])("of an order that is %s is refused", async status => {
    const [id] = await put("settled", { status: quoted(status) });
    expect(await post(`${id}/retry`, { reason })).toMatchObject({ status: 409, body: { code: "NOT_WAITING", state: status } });
  });
});

describe("a bulk action", () => {
  const filter = (user_id: string) => ({ user_id });
  async function start(action: string, client: string): Promise<string> {
    const { body } = await post("bulk/preview", { action, filter: filter(client) });
    const { set_hash, eligible: expected } = body as { set_hash: string; eligible: number };
    const started = await post("bulk", { action, filter: filter(client), set_hash, expected, reason });
    expect(started.status).toBe(202);
    return started.body.operation_id as string;
  }

  test("counts what it does not change: other states, and aborted orders that are never requeued", async () => {
    await put("many", aborted("UNAVAILABLE"), 3);
    await put("many", aborted("CANCELLED"), 2);
    await put("many", { status: "'failed'", attempts: 1 }, 4);
    await put("many", { status: "'pending'", attempts: 1 }, 5);
    const preview = async (action: string, more: object = {}) =>
      (await post("bulk/preview", { action, filter: { ...filter("many"), ...more } })).body;
    expect(await preview("requeue")).toMatchObject({ count: 14, eligible: 3, ineligible: { aborted: 2, failed: 4, pending: 5 } });
    expect(await preview("requeue", { status: "aborted" })).toMatchObject({ count: 5, eligible: 3, ineligible: { aborted: 2 } });
    expect(await preview("requeue", { status: "pending" })).toMatchObject({ count: 5, eligible: 0, ineligible: { pending: 5 } });
    expect(await preview("retry")).toMatchObject({ count: 14, eligible: 4, ineligible: { aborted: 5, pending: 5 } });
    expect(await preview("retry", { status: "failed" })).toMatchObject({ count: 4, eligible: 4, ineligible: {} });
  });

  test("requeues each order with its ledger entry, history and audit; one that changed since is skipped", async () => {
    const [cancelled, ...others] = await put("bulk", aborted("UNAVAILABLE"), 4);
    const operation_id = await start("requeue", "bulk");
    await sql`update outbox_orders set last_error_code = 'CANCELLED' where order_id = ${cancelled!}`;
    const workers = Array.from({ length: 4 }, () => statements.bulk.requeue({ operation_id, position: null, limit: 2 }));
    await Promise.all(workers);
    for (let left = 1; left > 0; ) {
      await statements.bulk.requeue({ operation_id, position: null, limit: 2 });
      left = (await sql`select from operations where operation_id = ${operation_id} and status = 'RUNNING'`).length;
    }
    expect((await statements.operations.find({ operation_id }))[0]).toMatchObject({ status: "DONE", done: 3, skipped: 1 });
    for (const id of others) {
      expect(await stateOf(id)).toMatchObject({ status: "pending", attempts: 0, entry: "accepted" });
      expect(await changesOf(id)).toMatchObject([{ from_status: "failed", to_status: "accepted", reason }]);
      expect(await auditsOf(id)).toMatchObject([{ action: "order.requeue" }]);
    }
    expect(await stateOf(cancelled!)).toMatchObject({ status: "aborted", entry: "failed" });
    const notes = await sql`select note from operation_items where operation_id = ${operation_id} and result = 'SKIPPED'`;
    expect([...notes]).toEqual([{ note: "it is aborted" }]);
  });

  test("retries failed orders, and its outcome tells what became of them", async () => {
    const [first, second, third] = await put("again", { status: "'failed'", attempts: 2, next_attempt_at: "now() + interval '1 hour'" }, 3);
    const operation_id = await start("retry", "again");
    await statements.bulk.retry({ operation_id, position: null, limit: 10 });
    const outcomes = async () =>
      Object.fromEntries(
        (await statements.bulk.outcomes({ operation_id: [operation_id], scan: [10] })).map(({ outcome, count }) => [outcome, count]),
      );
    expect(await outcomes()).toEqual({ ON_THE_WAY: 3 });
    await sql`update outbox_orders set status = 'succeeded', settled_at = now() where order_id = ${first!}`;
    await sql`update outbox_orders set status = 'aborted', settled_at = now() where order_id = ${second!}`;
    await sql`update outbox_orders set next_attempt_at = now() + interval '1 hour' where order_id = ${third!}`;
    expect(await outcomes()).toEqual({ DELIVERED: 1, FAILED_AGAIN: 1, RETRYING: 1 });
  });
});

test("an order is shown with its ledger entry, its calls, the entry's history and what people did", async () => {
  const [id] = await put("detail", aborted("UNAVAILABLE"));
  await orderAttempts.put(sql, { order_id: quoted(id!), number: "n", code: "'UNAVAILABLE'" }, "generate_series(1, 2) n");
  await requeue(id!);
  expect(await get(`/${id}`)).toMatchObject({
    order_id: id,
    client_id: "detail",
    symbol: "KEN",
    status: "pending",
    attempts: 0,
    ledger: { status: "accepted", reason_code: null },
    calls: [{ number: 2 }, { number: 1, kind: "send", adapter: "paper", outcome: "retryable", code: "UNAVAILABLE" }],
    history: [{ from_status: "failed", to_status: "accepted", reason }],
    actions: [{ action: "order.requeue" }],
  });
});
