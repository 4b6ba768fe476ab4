import { Problem } from "../../kernel/http/problem.ts";
import type { ActionRequest } from "../../kernel/operator/row_actions.ts";
import type { Adapter, AskResult } from "../broker/adapter.ts";
import type { OrdersFindRow, OrdersSql } from "../sql.gen.ts";

type Sql = Pick<OrdersSql, "orders" | "operator_actions">;

const answers = {
  succeeded: "executed",
  final: "rejected",
  working: "working",
  not_known: "unknown_to_broker",
  no_answer: "no_answer",
} as const satisfies Record<AskResult["outcome"], string>;

export interface Answered {
  readonly answer: (typeof answers)[AskResult["outcome"]];
  readonly status: string;
  readonly outcome_unknown: boolean;
  readonly broker_order_id?: string;
  readonly reason_code?: string;
  readonly message?: string;
}

const noLimit = new AbortController().signal;

/**
 * Asks the broker about an order, for an operator. If the outcome is unknown and the broker has it, the order is settled by that. If the broker has no
 * such order, it is due at once. An order that a sender holds is not changed. Undefined if there is no such order.
 */
export async function askNow(sql: Sql, adapter: Adapter, { id, actor, reason }: ActionRequest): Promise<Answered | undefined> {
  const [order] = await sql.orders.find({ id });
  if (!order) return undefined;
  const since = performance.now();
  const result = await adapter.ask(order.broker_key, noLimit);
  const { outcome } = result;
  const answer = answers[outcome];
  const why: Readonly<Record<string, string>> = outcome === "succeeded" ? {} : { code: result.code, message: result.message };
  const call = { adapter: adapter.name, outcome, ...why, duration_ms: Math.round(performance.now() - since) };
  const isSettled =
    (outcome === "succeeded" || outcome === "final") &&
    (await sql.orders.resolve({ order_id: id, actor, action: "order.ask", reason, ...settlementBy(result), call })).length > 0;
  if (!isSettled) await sql.orders.asked({ order_id: id, actor, reason, answer, call });
  const [now = order] = await sql.orders.find({ id });
  const { status, outcome_unknown } = now;
  if (outcome === "succeeded") return { answer, status, outcome_unknown, broker_order_id: result.brokerOrderId };
  return { answer, status, outcome_unknown, reason_code: result.code, message: result.message };
}

function settlementBy(result: AskResult) {
  if (result.outcome === "succeeded")
    return { status: "succeeded", code: null, message: null, broker_order_id: result.brokerOrderId, broker_answer: result.answer };
  return { status: "aborted", code: result.code, message: result.message, broker_order_id: null, broker_answer: null };
}

export interface Resolution extends ActionRequest {
  readonly outcome: "succeeded" | "failed";
  readonly brokerOrderId: string | undefined;
}

/** Settles an unknown outcome by hand. A second request with the same outcome gets the same answer. Undefined if there is no such order. */
export async function resolveByHand(
  sql: Sql,
  { id, actor, reason, outcome, brokerOrderId }: Resolution,
): Promise<OrdersFindRow | undefined> {
  const status = outcome === "succeeded" ? "succeeded" : "aborted";
  const why =
    outcome === "succeeded"
      ? { code: null, message: null }
      : { code: "RESOLVED_FAILED", message: "an operator found that the broker did not execute the order" };
  const settlement = { status, ...why, broker_order_id: brokerOrderId ?? null, broker_answer: null };
  const [resolved] = await sql.orders.resolve({ order_id: id, actor, action: "order.resolve", reason, ...settlement, call: null });
  const [order] = await sql.orders.find({ id });
  if (resolved || !order) return order;
  const [before] = await sql.operator_actions.latest({ subject: order.order_id, action: "order.resolve" });
  if (before && order.status === status) return order;
  if (order.outcome_unknown) throw new Problem(409, "SENDING", "a sender asks the broker about this order now; try again in some seconds");
  throw new Problem(409, "OUTCOME_KNOWN", `the order is ${order.status}; only an unknown outcome is resolved by hand`);
}
