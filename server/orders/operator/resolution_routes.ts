import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { badRequest, notFound } from "../../kernel/http/problem.ts";
import type { Share } from "../../kernel/http/shared_reads.ts";
import { anyId, longText, uuid } from "../../kernel/http/text.ts";
import type { Count } from "../../kernel/operator/list_routes.ts";
import type { Adapter } from "../broker/adapter.ts";
import type { OrdersSql } from "../sql.gen.ts";
import { askNow, resolveByHand } from "./resolution.ts";

export interface ResolutionOptions {
  readonly sql: OrdersSql;
  readonly adapter: Adapter;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
  /** Called when there are orders to send. */
  readonly requeued: () => void;
}

const strict = { additionalProperties: false };
const params = Type.Object({ order_id: uuid("the order") });
const reason = longText("why; kept in the audit");
const outcome = Type.Union([Type.Literal("succeeded"), Type.Literal("failed")], { description: "what became of the order at the broker" });
const lowestUuid = "00000000-0000-0000-0000-000000000000";
const list = "orders unknown";
const most = 10_000;
const unknownOrder = () => notFound("there is no such order; settled ones are deleted after a while");

/** The aborted orders that need attention, and those with an unknown outcome. */
export interface OrderAttention extends Count {
  readonly unknown: Count;
}

/** Orders whose outcome at the broker is unknown, and what an operator may do about it. */
export function resolutionRoutes({ sql, adapter, requires, cursors, share, requeued }: ResolutionOptions) {
  const [unknown, attention] = [share(sql.orders.unknown), share(sql.orders.attention)];
  return new Elysia({ normalize: false })
    .get(
      "/ops/orders/unknown",
      async ({ query }) => {
        const limit = limitOf(query);
        const after_id = query.cursor === undefined ? lowestUuid : cursors().read(list, query.cursor);
        const rows = await unknown({ after_id, limit: limit + 1 });
        const orders = rows.slice(0, limit);
        return { orders, ...(rows.length > limit ? { next_cursor: cursors().make(list, orders.at(-1)!.order_id) } : {}) };
      },
      {
        query: Type.Object(pageQuery, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Orders whose outcome at the broker is unknown, oldest first",
          description: "The sender asks the broker about them until it answers. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/orders/attention",
      async (): Promise<OrderAttention> => {
        const [found] = await attention({ most });
        const { count, more, unknown_count, unknown_more } = found!;
        return { count, more, unknown: { count: unknown_count, more: unknown_more } };
      },
      {
        query: Type.Object({}, strict),
        ...requires("ops:read"),
        detail: {
          summary: "How many orders need attention",
          description:
            "Aborted orders, except those that their client cancelled, that expired or that a person settled by hand; `unknown`: orders with an unknown outcome. Exact up to 10,000; `more` says that there are more. Scope: ops:read.",
        },
      },
    )
    .post(
      "/ops/orders/:order_id/ask",
      async ({ params, body, request }) => {
        const answered = await askNow(sql, adapter, { id: params.order_id, actor: callerOf(request).clientId, reason: body.reason });
        if (!answered) throw unknownOrder();
        if (answered.outcome_unknown && answered.answer === "unknown_to_broker") requeued();
        return answered;
      },
      {
        params,
        body: Type.Object({ reason }, strict),
        ...requires("ops:write"),
        detail: {
          summary: "Ask the broker about an order now",
          description:
            "`answer`: executed, rejected, working, unknown_to_broker or no_answer. An unknown outcome is settled by executed and rejected; unknown_to_broker makes the order due at once. Any other order is left as it is. Scope: ops:write.",
        },
      },
    )
    .post(
      "/ops/orders/:order_id/resolve",
      async ({ params, body, request }) => {
        if (body.outcome === "failed" && body.broker_order_id !== undefined)
          throw badRequest("an order that failed has no order id at the broker", {
            errors: [{ pointer: "/broker_order_id", detail: "is only for the outcome succeeded; leave it out" }],
          });
        const order = await resolveByHand(sql, {
          id: params.order_id,
          actor: callerOf(request).clientId,
          reason: body.reason,
          outcome: body.outcome,
          brokerOrderId: body.broker_order_id,
        });
        if (!order) throw unknownOrder();
        return { order_id: order.order_id, status: order.status, outcome_unknown: order.outcome_unknown };
      },
      {
        params,
        body: Type.Object({ outcome, reason, broker_order_id: Type.Optional(anyId("the order's id at the broker")) }, strict),
        ...requires({ roles: ["ADMIN"] }),
        detail: {
          summary: "Settle an unknown outcome by hand",
          description:
            "For a broker that cannot be asked: look the order up there first. Ledger, history and audit name who and why. 409 SENDING while a sender asks the broker, 409 OUTCOME_KNOWN for any other order. A second request gets the same answer. Role: ADMIN.",
        },
      },
    );
}
