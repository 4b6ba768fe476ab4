import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { anyOrder, insertOrder, type TestOrder } from "../../testing/order_rows.ts";
import type { TestProcess } from "../../testing/process.ts";
import type { OrdersSql } from "../sql.gen.ts";
import type { Entry } from "./entry.ts";

let kenri: TestKenri;
let server: TestProcess;
beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:9" });
  server = await kenri.start("orders:api");
});
afterAll(() => kenri.close());

async function cancel(key: string): Promise<{ status: number; body: Entry & { code?: string; detail?: string } }> {
  const response = await kenri.call("orders", `/do/order/${key}:cancel`, { method: "POST" });
  return { status: response.status, body: (await response.json()) as Entry };
}

const rowOf = async (key: string) => {
  const [row] = await kenri.store("orders")
    .sql`select o.status, o.attempts, o.last_error_code, o.settled_at = l.settled_at as together, l.status as ledger,
    l.reason_code, (select json_agg(json_build_array(actor, from_status, to_status, reason) order by h.entry_id) from idempo_ledger_history h
      where h.order_id = l.order_id) as history
    from idempo_ledger l join outbox_orders o using (order_id) where l.idempotency_key = ${`tester:${key}`}`;
  return row;
};

describe("an order", () => {
  test.each([
    ["pending", { status: "pending" }, 0],
    ["failed, waiting for its next attempt", { status: "failed", attempts: 2, code: "UNAVAILABLE" }, 2],
  ] as const)("that is %s is cancelled, and the history says by whom", async (name, order: TestOrder, attempts) => {
    const key = name.split(",")[0]!;
    await insertOrder(kenri.store("orders").sql, { key, ...order });
    const { status, body } = await cancel(key);
    expect([status, body]).toMatchObject([
      200,
      {
        idempotency_key: key,
        status: "failed",
        reason_code: "CANCELLED",
        reason: "the client cancelled the order",
        outbox_status: "aborted",
        attempts,
      },
    ]);
    expect(body.settled_at).toBeDefined();
    expect(await rowOf(key)).toEqual({
      status: "aborted",
      attempts,
      last_error_code: "CANCELLED",
      together: true,
      ledger: "failed",
      reason_code: "CANCELLED",
      history: [
        ["tester", null, "accepted", "the client placed the order"],
        ["tester", "accepted", "failed", "CANCELLED: the client cancelled the order"],
      ],
    });
    const before = await rowOf(key);
    expect(await cancel(key)).toEqual({ status: 200, body });
    expect(await rowOf(key)).toEqual(before);
    await server.logged(`"idempotency_key":"tester:${key}","status":"aborted"`);
    const line = server.lines.find(text => text.includes("order.cancelled") && text.includes(`tester:${key}`));
    expect(JSON.parse(line!)).toMatchObject({ status: "aborted", attempts, last_error_code: "CANCELLED", adapter: "paper" });
  });

  test.each([
    ["being-sent", { status: "sending" }, /is being sent/],
    ["unknown", { status: "failed", attempts: 1, outcomeUnknown: true, code: "TIMEOUT" }, /may have reached the broker/],
    ["unknown-pending", { status: "pending", attempts: 1, outcomeUnknown: true }, /may have reached the broker/],
    ["succeeded", { status: "succeeded", brokerOrderId: "P-1" }, /has succeeded already/],
    ["aborted", { status: "aborted", code: "REJECTED" }, /has failed already/],
    ["cleaned-up", { status: "succeeded", inOutbox: false }, /has succeeded already/],
  ] as const)("that is %s is not cancelled", async (key, order: TestOrder, why) => {
    await insertOrder(kenri.store("orders").sql, { key, ...order });
    const before = await rowOf(key);
    expect(await cancel(key)).toMatchObject({ status: 409, body: { code: "ORDER_NOT_CANCELLABLE", detail: expect.stringMatching(why) } });
    expect(await rowOf(key)).toEqual(before);
  });

  test("of another client is not found, and not cancelled", async () => {
    await insertOrder(kenri.store("orders").sql, { key: "theirs", client: "rival" });
    expect((await cancel("theirs")).status).toBe(404);
    const [row] = await kenri.store("orders").sql`select status from outbox_orders where idempotency_key = 'rival:theirs'`;
    expect(row?.status).toBe("pending");
  });

  test("that was cancelled stays cancelled when it is placed again", async () => {
    await insertOrder(kenri.store("orders").sql, { key: "again" });
    await cancel("again");
    const headers = { "content-type": "application/json", "idempotency-key": "again" };
    const response = await kenri.call("orders", "/do/order", { method: "POST", headers, body: JSON.stringify(anyOrder) });
    expect([response.status, await response.json()]).toMatchObject([200, { status: "failed", reason_code: "CANCELLED" }]);
  });
});

test("of a cancellation and a claim at the same time one wins, and the other changes nothing", async () => {
  const { sql, database } = kenri.store("orders");
  const rounds = 150;
  const app = connect({ url: database.appUrl, name: "test", max: 1, statementTimeout: 10_000 });
  const { orders } = bindStatements<OrdersSql>(app, readStatements(["orders"]), createMetrics(), 10_000);
  // Rows of other tests are not due.
  await sql`update outbox_orders set next_attempt_at = now() + interval '1 day'`;
  const claim = async () => {
    const claimed = await orders.claim({ worker: "w", token: crypto.randomUUID(), limit: 1, lease_seconds: 60, from: "-infinity" });
    return claimed.length === 1;
  };
  await app`select 1`;
  let cancelled = 0;
  let delay = 0;
  for (let n = 0; n < rounds; n++) {
    const key = `race-${n}`;
    await insertOrder(sql, { key });
    // The claim starts later after it has won, and earlier after it has lost, so that both arrive at about the same time on any machine.
    const claimed = Bun.sleep(delay).then(claim);
    const [answer, isClaimed] = await Promise.all([cancel(key), claimed]);
    const row = await rowOf(key);
    if (answer.status === 200) {
      cancelled++;
      delay *= 0.8;
      expect(row).toMatchObject({ status: "aborted", ledger: "failed" });
      expect(row?.history).toHaveLength(2);
    } else {
      delay = delay * 1.25 + 0.1;
      expect([answer.status, isClaimed]).toEqual([409, true]);
      expect(row).toMatchObject({ status: "sending", ledger: "accepted" });
      expect(row?.history).toHaveLength(1);
    }
    expect(isClaimed).toBe(answer.status !== 200);
  }
  expect(cancelled).toBeGreaterThan(0);
  expect(cancelled).toBeLessThan(rounds);
  await app.end();
});
