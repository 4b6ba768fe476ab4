import { Elysia } from "elysia";
import { operationRoutes } from "../../kernel/operator/operation_routes.ts";
import { type StandingSql, standingRoutes } from "../../kernel/operator/operation_standing.ts";
import { type RowListParts, rowListRoutes } from "../../kernel/operator/row_list_routes.ts";
import type { RowDetail } from "../../kernel/operator/row_routes.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { NotificationSql, NotificationsAttemptsRow, NotificationsFindRow, OperatorActionsOfSubjectsRow } from "../sql.gen.ts";
import { requeueNotification } from "./requeue.ts";
import { notificationRows } from "./row_kind.ts";

export interface DeliveryOptions extends RowListParts {
  readonly sql: NotificationSql;
  /** On connections that operators cannot use up: without confirmations every operation waits. */
  readonly standing: StandingSql;
  readonly log: Log;
}

/** The last 100 attempts, newest first. */
interface Tried {
  readonly attempts: NotificationsAttemptsRow[];
}
export type NotificationDetail = RowDetail<NotificationsFindRow, OperatorActionsOfSubjectsRow, Tried>;

/** What operators see of notifications and may do to them. */
export const deliveryRoutes = ({ sql, standing, log, ...parts }: DeliveryOptions) =>
  new Elysia({ normalize: false })
    .use(
      rowListRoutes(notificationRows, {
        ...parts,
        sql: { ...sql, rows: sql.notifications },
        failed: {
          path: "dead",
          rows: "dead_letters",
          cursor: "dead",
          summary: "Dead letters that were not requeued, newest first",
          list: sql.notifications.dead,
        },
        requeue: request => requeueNotification(sql, request),
        details: async ({ notification_id }): Promise<Tried> => ({ attempts: await sql.notifications.attempts({ notification_id }) }),
        texts: {
          unknown: "there is no such notification",
          deleted: "sent ones are deleted after a while",
          find: "One notification with its last 100 attempts",
          requeue: "Attempts start anew; its dead letter stays and names the operator.",
          discard: "Its attempts and its dead letter are deleted with it.",
        },
      }),
    )
    .use(standingRoutes({ ...parts, sql: standing, log }))
    .use(operationRoutes({ ...parts, sql }));
