import { Elysia } from "elysia";
import type { Requires } from "../http/callers.ts";
import type { Cursors } from "../http/cursor.ts";
import type { MaskFor } from "../http/masking.ts";
import type { OperatorTurns } from "../http/operator_turns.ts";
import type { Share } from "../http/shared_reads.ts";
import { type BulkSql, bulkRoutes } from "./bulk_routes.ts";
import { type ListSql, listRoutes } from "./list_routes.ts";
import { describeOperation, type OperationsSql, type OutcomesSql } from "./operation_routes.ts";
import type { RowKind } from "./row_kind.ts";
import { type RowOptions, rowRoutes } from "./row_routes.ts";

type Row = { readonly status: string };

/** What a kind's routes need of the API role. */
export interface RowListParts {
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
  /** Hides what only operators may see. */
  readonly maskFor: MaskFor;
  readonly operators: OperatorTurns;
  /** Called when there are rows to work on. */
  readonly requeued: () => void;
  /** Called when a bulk operation was started. */
  readonly operationStarted: () => void;
  /** The most rows of a bulk action without ADMIN. */
  readonly cap: number;
  /** How long the confirmation of an operation holds, in milliseconds. */
  readonly confirmedFor: number;
}

/** The parts, the statements, and what is special to a kind. */
export interface RowListOptions<Found extends Row> extends RowListParts, RowOptions<Found> {
  readonly sql: RowOptions<Found>["sql"] & {
    readonly rows: ListSql;
    readonly bulk: BulkSql & OutcomesSql;
    readonly operations: OperationsSql & { confirm(parameters: { operation_id: readonly string[]; seconds: number }): Promise<unknown[]> };
  };
}

/** Everything operators read of a kind's rows and do to them: list, counts, groups, one row, its actions, bulk actions. */
export function rowListRoutes<Found extends Row>(kind: RowKind, options: RowListOptions<Found>) {
  const { sql, requires, cursors, share, operators, operationStarted, cap, confirmedFor } = options;
  return new Elysia({ normalize: false })
    .use(listRoutes(kind, { rows: sql.rows, requires, cursors, share }))
    .use(rowRoutes(kind, options))
    .use(
      bulkRoutes(kind, {
        sql: sql.bulk,
        counts: sql.rows.counts,
        describe: operation_id => describeOperation(sql, operation_id),
        confirm: operation_id => sql.operations.confirm({ operation_id: [operation_id], seconds: confirmedFor / 1000 }),
        requires,
        operators,
        started: operationStarted,
        cap,
      }),
    );
}
