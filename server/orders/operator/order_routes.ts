import { Elysia } from "elysia";
import { operationRoutes } from "../../kernel/operator/operation_routes.ts";
import { type StandingSql, standingRoutes } from "../../kernel/operator/operation_standing.ts";
import { type RowListParts, rowListRoutes } from "../../kernel/operator/row_list_routes.ts";
import type { RowDetail } from "../../kernel/operator/row_routes.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { OperatorActionsOfSubjectsRow, OrdersAttemptsRow, OrdersFindRow, OrdersHistoryRow, OrdersSql } from "../sql.gen.ts";
import { requeueOrder } from "./requeue.ts";
import { orderRows } from "./row_kind.ts";

export interface OrderOptions extends RowListParts {
  readonly sql: OrdersSql;
  /** On connections that operators cannot use up: without confirmations every operation waits. */
  readonly standing: StandingSql;
  readonly log: Log;
}

/** The last 100 calls to the broker and the last 100 changes of the ledger entry, newest first. `attempts` of the order is the number of its sends. */
interface OrderRecords {
  readonly calls: OrdersAttemptsRow[];
  readonly history: OrdersHistoryRow[];
}
export type OrderDetail = RowDetail<OrdersFindRow, OperatorActionsOfSubjectsRow, OrderRecords>;

/** What operators see of orders and may do to them. */
export const orderRoutes = ({ sql, standing, log, ...parts }: OrderOptions) =>
  new Elysia({ normalize: false })
    .use(
      rowListRoutes(orderRows, {
        ...parts,
        sql: { ...sql, rows: sql.orders },
        requeue: request => requeueOrder(sql, request),
        details: async ({ order_id }): Promise<OrderRecords> => {
          const [calls, history] = await Promise.all([sql.orders.attempts({ order_id }), sql.orders.history({ order_id })]);
          return { calls, history };
        },
        texts: {
          unknown: "there is no such order",
          deleted: "settled ones are deleted after a while, and the ledger keeps their entry",
          find: "One order with its ledger entry, the last 100 calls to the broker and the last 100 changes of the entry",
          requeue:
            "Attempts start anew and the ledger entry is accepted again. 409 NEVER_REQUEUED for an order that was cancelled or has expired.",
          discard: "It can no longer be requeued. Its ledger entry stays.",
        },
      }),
    )
    .use(standingRoutes({ ...parts, sql: standing, log }))
    .use(operationRoutes({ ...parts, sql }));
