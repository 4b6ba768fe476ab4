import { Elysia } from "elysia";
import type { Count, RowCounts } from "../../kernel/operator/list_routes.ts";
import { operationRoutes } from "../../kernel/operator/operation_routes.ts";
import { type StandingSql, standingRoutes } from "../../kernel/operator/operation_standing.ts";
import { type RowListParts, rowListRoutes } from "../../kernel/operator/row_list_routes.ts";
import type { RowDetail } from "../../kernel/operator/row_routes.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { EntitlementSql, OperatorActionsOfSubjectsRow, OutboxFindRow } from "../sql.gen.ts";
import { requeueEvent } from "./requeue.ts";
import { resendRoutes } from "./resend_routes.ts";
import { outboxRows } from "./row_kind.ts";

export interface OutboxOptions extends RowListParts {
  readonly sql: EntitlementSql;
  /** On connections that operators cannot use up: without confirmations every operation waits. */
  readonly standing: StandingSql;
  /** How long confirmed events are kept, in milliseconds. */
  readonly retention: number;
  readonly log: Log;
}

export type EventDetail = RowDetail<OutboxFindRow, OperatorActionsOfSubjectsRow>;
export type OutboxCounts = RowCounts & { readonly unconfirmed: Count };

/** What operators see of the outbox and may do to it. */
export const outboxRoutes = ({ sql, standing, retention, log, ...parts }: OutboxOptions) =>
  new Elysia({ normalize: false })
    .use(
      rowListRoutes(outboxRows, {
        ...parts,
        sql: { ...sql, rows: sql.outbox },
        failed: {
          path: "failed",
          rows: "events",
          cursor: "outbox failed",
          summary: "Events that could not be published, newest first",
          list: sql.outbox.failed,
        },
        requeue: request => requeueEvent(sql, request),
        texts: {
          unknown: "there is no such event in the outbox",
          deleted: "confirmed events are deleted after a while",
          find: "One event of the outbox",
          requeue: "Attempts start anew and the message gets a new id. A second request gets the same answer.",
          discard: "It is never published.",
        },
      }),
    )
    .use(resendRoutes({ ...parts, sql, retention }))
    .use(standingRoutes({ ...parts, sql: standing, log }))
    .use(operationRoutes({ ...parts, sql }));
