import { connect } from "../server/kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../server/kernel/postgres/statements.ts";
import { createMetrics } from "../server/kernel/telemetry/metrics.ts";
import type { Adapter, BrokerOrder } from "../server/orders/broker/adapter.ts";
import { digestOf } from "../server/orders/intake/order_request.ts";
import { storedKey } from "../server/orders/order_key.ts";
import type { OrdersClaimRow, OrdersSql } from "../server/orders/sql.gen.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { anyOrder } from "../server/testing/order_rows.ts";

const request_digest = digestOf(anyOrder);
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const look = 4;

/** The steps of an order, without the service. */
export function orderSteps(kenri: TestKenri, connections: number) {
  const sql = connect({ url: kenri.store("orders").database.appUrl, name: "bench", max: connections, statementTimeout: 120_000 });
  const { ledger, orders } = bindStatements<OrdersSql>(sql, readStatements(["orders"]), createMetrics(), 120_000);
  let from = "-infinity";
  let claims = 0;

  async function accept(key: string): Promise<void> {
    const idempotency_key = storedKey("bench", key);
    const order = { client_id: "bench", request_digest, order_request: { ...anyOrder }, expires_at: null };
    const [row] = await ledger.accept({ idempotency_key, ...order, ahead_seconds: 1, traceparent });
    if (!row?.order_id) throw new Error(`${key} was not accepted`);
  }

  /** A worker moves the bound in a loop of its own, so here it is moved before the time counts. */
  async function moveBound(): Promise<void> {
    if (claims++ % 20 === 0) from = (await orders.head({ from: "-infinity", look }))[0]?.bound ?? from;
  }

  async function claim(token: string): Promise<OrdersClaimRow> {
    const [row] = await orders.claim({ worker: "bench", token, limit: 1, lease_seconds: 60, from });
    if (!row) throw new Error("nothing was claimed");
    return row;
  }

  async function settle(token: string, { order_id }: OrdersClaimRow, broker_order_id: string, broker_answer: object): Promise<void> {
    const outcome = { status: "succeeded", attempts: 1, outcome_unknown: false, asks: 0, code: null, message: null, delay_seconds: 0 };
    const calls = [{ kind: "send", outcome: "succeeded", duration_ms: 1, ended_ms: 0 }];
    const held = { token, worker: "bench", adapter: "paper", order_id };
    await orders.settle({ ...held, ...outcome, broker_order_id, broker_answer: { ...broker_answer }, calls });
  }

  return {
    accept,
    /** The time of a claim. What it claimed is settled after it, so that the backlog drains. */
    async claimTime(): Promise<number> {
      await moveBound();
      const token = crypto.randomUUID();
      const since = performance.now();
      const row = await claim(token);
      const took = performance.now() - since;
      await settle(token, row, "bench", {});
      return took;
    },
    /** The time of claim, call and settlement, one after the other. */
    async deliveryTime(adapter: Adapter): Promise<number> {
      await moveBound();
      const token = crypto.randomUUID();
      const since = performance.now();
      const row = await claim(token);
      const order = row.order_request_json as unknown as Omit<BrokerOrder, "key">;
      const result = await adapter.send({ ...order, key: row.idempotency_key }, AbortSignal.timeout(5000));
      if (result.outcome !== "succeeded") throw new Error(`the broker: ${result.message}`);
      await settle(token, row, result.brokerOrderId, result.answer);
      return performance.now() - since;
    },
    end: () => sql.end(),
  };
}

/** Places an order through HTTP. */
export async function place(kenri: TestKenri, key: string): Promise<void> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  const response = await kenri.call("orders", "/do/order", { method: "POST", headers, body: JSON.stringify(anyOrder) });
  if (response.status !== 202) throw new Error(`an order got ${response.status}`);
  await response.arrayBuffer();
}
