import type { ActionRequest, Requeued } from "../../kernel/operator/row_actions.ts";
import type { OrdersFindRow, OrdersSql } from "../sql.gen.ts";

/** Requeues an aborted order once, with its ledger entry, audited. A second request for a requeued order gets the same answer. */
export async function requeueOrder(sql: OrdersSql, { id, actor, reason }: ActionRequest): Promise<Requeued> {
  const [requeued] = await sql.orders.requeue({ order_id: [id], actor, reason });
  if (requeued) return { outcome: "requeued" };
  const [order] = await sql.orders.find({ id });
  if (!order) return { outcome: "unknown" };
  if (order.status === "aborted") return { outcome: "refused", why: whyNever(order) };
  const [before] = await sql.operator_actions.latest({ subject: order.order_id, action: "order.requeue" });
  return before ? { outcome: "requeued" } : { outcome: "not_failed", status: order.status };
}

/** Why an aborted order is never sent again. */
function whyNever({ last_error_code, expires_at }: OrdersFindRow): string {
  if (last_error_code === "CANCELLED") return "the client cancelled this order, so it is never sent again; the client may place a new one";
  if (last_error_code === "EXPIRED")
    return `this order expired at ${expires_at}, so it is never sent again; the client may place a new one`;
  return "the ledger has no failed entry for this order, so it cannot be accepted again; look at its history";
}
