import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import type { Cursors } from "../../kernel/http/cursor.ts";
import type { OperatorTurns } from "../../kernel/http/operator_turns.ts";
import { notFound, Problem } from "../../kernel/http/problem.ts";
import type { Share } from "../../kernel/http/shared_reads.ts";
import { longText, uuid } from "../../kernel/http/text.ts";
import { bulkRoutes } from "../../kernel/operator/bulk_routes.ts";
import { describeOperation, operationRoutes } from "../../kernel/operator/operation_routes.ts";
import { type StandingSql, standingRoutes } from "../../kernel/operator/operation_standing.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { discardNotification } from "./discard.ts";

export interface NotificationBulkOptions {
  readonly sql: NotificationSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
  readonly operators: OperatorTurns;
  readonly cap: number;
  readonly confirmedFor: number;
  /** On connections that operators cannot use up: without confirmations every operation waits. */
  readonly standing: StandingSql;
  readonly log: Log;
}

/** What operators do to many notifications at once, and the end of a single one. */
export function notificationBulkRoutes({
  sql,
  standing,
  requires,
  cursors,
  share,
  operators,
  cap,
  confirmedFor,
  log,
}: NotificationBulkOptions) {
  return new Elysia({ normalize: false })
    .use(
      bulkRoutes({
        kind: "notifications",
        statuses: ["PENDING", "PROCESSING", "SENT", "FAILED"],
        types: ["EntitlementGranted", "EntitlementRevoked"],
        sql: sql.bulk,
        counts: sql.notifications.counts,
        describe: operation_id => describeOperation(sql, operation_id),
        confirm: operation_id => sql.operations.confirm({ operation_id: [operation_id], seconds: confirmedFor / 1000 }),
        requires,
        operators,
        cap,
      }),
    )
    .use(standingRoutes({ sql: standing, requires, cap, confirmedFor, log }))
    .use(operationRoutes({ sql, requires, cursors, share }))
    .post(
      "/ops/notifications/:notification_id/discard",
      async ({ params: { notification_id }, body: { reason }, request }) => {
        const result = await discardNotification(sql, { notification_id, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw notFound("there is no such notification");
        if (result.outcome === "not_failed")
          throw new Problem(409, "NOT_FAILED", `the notification is ${result.status}; only a FAILED one can be discarded`);
        return { notification_id, status: "DISCARDED" };
      },
      {
        params: Type.Object({ notification_id: uuid("the notification") }),
        body: Type.Object({ reason: longText("why; kept in the audit") }, { additionalProperties: false }),
        ...requires({ roles: ["ADMIN"] }),
        detail: {
          summary: "Delete a FAILED notification",
          description: "With its attempts and its dead letter; the audit keeps what it was. Asked twice, it answers the same. Role: ADMIN.",
        },
      },
    );
}
