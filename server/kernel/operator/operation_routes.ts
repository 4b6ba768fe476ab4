import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../http/cursor.ts";
import { badRequest, notFound, Problem } from "../http/problem.ts";
import type { Share } from "../http/shared_reads.ts";
import { longText, uuid } from "../http/text.ts";
import { type OutcomeRow, outcomes, withOutcomes } from "./operation_outcome.ts";
import { scannedPage } from "./scanned_page.ts";

const strict = { additionalProperties: false };
const params = Type.Object({ operation_id: uuid("the operation") });
const results = Type.Union([Type.Literal("PENDING"), Type.Literal("DONE"), Type.Literal("SKIPPED"), Type.Literal("FAILED")], {
  description: "only these, by what the operation did",
});
const becameOf = Type.Union(
  outcomes.map(name => Type.Literal(name)),
  { description: "only these, by what became of the row since; of DONE rows" },
);
// A page examines at most this many items, whatever the filter.
const itemScan = 2000;

export interface Operation {
  readonly operation_id: string;
  readonly kind: string;
  readonly action: string;
  readonly filter: unknown;
  readonly reason: string;
  readonly actor: string;
  readonly status: string;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly cancelled_by: string | null;
  /** Why it is STOPPED: the operator who started it has lost the permission. */
  readonly stop_reason: string | null;
  /** It is RUNNING and waits until the permission of the operator who started it is confirmed. */
  readonly waits: boolean;
}

interface Item {
  readonly position: number;
  readonly subject: string;
  readonly result: string;
  readonly note: string | null;
  readonly outcome: string | null;
  readonly error: string | null;
  readonly matches: boolean;
  readonly examined: number;
}

/** The statements of every system for its operations. */
export interface OperationsSql {
  list(parameters: { before_operation_id: string; limit: number }): Promise<Operation[]>;
  find(parameters: { operation_id: string }): Promise<Operation[]>;
  cancel(parameters: { operation_id: string; actor: string; reason: string }): Promise<unknown[]>;
}

/** The statements that read a kind's own rows. */
export interface OutcomesSql {
  outcomes(parameters: { operation_id: readonly string[]; scan: readonly number[] }): Promise<OutcomeRow[]>;
  items(parameters: {
    operation_id: string;
    result: string | null;
    outcome: string | null;
    after_position: number;
    limit: number;
    scan: number;
  }): Promise<Item[]>;
}

export interface OperationOptions {
  readonly sql: { readonly operations: OperationsSql; readonly bulk: OutcomesSql };
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
}

/** One operation with what became of its rows until now; undefined if there is none. */
export async function describeOperation({ operations, bulk }: OperationOptions["sql"], operation_id: string) {
  return (await withOutcomes(await operations.find({ operation_id }), bulk.outcomes))[0];
}

const unknown = () => notFound("there is no such operation");

/** Bulk operations: progress, what became of each row, and cancelling. */
export function operationRoutes({ sql, requires, cursors, share }: OperationOptions) {
  const [list, outcomesOf, items] = [share(sql.operations.list), share(sql.bulk.outcomes), share(sql.bulk.items)];
  async function found(operation_id: string) {
    const operation = await describeOperation(sql, operation_id);
    if (!operation) throw unknown();
    return operation;
  }

  return new Elysia({ normalize: false })
    .get(
      "/ops/operations",
      async ({ query }) => {
        const limit = limitOf(query);
        const before_operation_id = query.cursor === undefined ? highestUuid : cursors().read("operations", query.cursor);
        const rows = await list({ before_operation_id, limit: limit + 1 });
        const operations = rows.slice(0, limit);
        return {
          operations: await withOutcomes(operations, outcomesOf),
          ...(rows.length > limit ? { next_cursor: cursors().make("operations", operations.at(-1)!.operation_id) } : {}),
        };
      },
      {
        query: Type.Object(pageQuery, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Bulk operations, newest first",
          description: `A STOPPED operation ended because the person who started it was suspended or lost the role, or because its API key is no longer valid; \`stop_reason\` says which. Rows that it did not reach are unchanged and can be part of a new operation. \`waits\`: an operation of a person goes on when it is confirmed again that the person may do it. \`done\` are the rows that were changed: requeued, retried or discarded. \`outcome\` says what became of the requeued or retried rows, by their present states: delivered, failed_again, retrying, on_the_way, or gone (discarded or cleaned up). An answer examines 10,000 rows, all of small operations and the first of large ones; \`more\` says that an operation has others. Scope: ops:read.`,
        },
      },
    )
    .get("/ops/operations/:operation_id", ({ params: { operation_id } }) => found(operation_id), {
      params,
      ...requires("ops:read"),
      detail: {
        summary: "One bulk operation, with its progress and what became of its rows",
        description: `As in the list. Scope: ops:read.`,
      },
    })
    .get(
      "/ops/operations/:operation_id/items",
      async ({ params: { operation_id }, query }) => {
        if (query.outcome !== undefined && (query.result ?? "DONE") !== "DONE")
          throw badRequest("only what is DONE has an outcome", { errors: [{ pointer: "/outcome", detail: "goes with the result DONE" }] });
        if ((await sql.operations.find({ operation_id })).length === 0) throw unknown();
        const limit = limitOf(query);
        const name = `items ${operation_id} ${query.result ?? ""} ${query.outcome ?? ""}`;
        const after_position = query.cursor === undefined ? 0 : Number(cursors().read(name, query.cursor));
        const asked = { operation_id, result: query.result ?? null, outcome: query.outcome ?? null };
        const rows = await items({ ...asked, after_position, limit: limit + 1, scan: itemScan });
        const { page, last } = scannedPage(rows, limit, itemScan);
        return {
          items: page.map(({ subject, result, note, outcome, error }) => ({ subject, result, note, outcome, error })),
          ...(last ? { next_cursor: cursors().make(name, String(last.position)) } : {}),
        };
      },
      {
        params,
        query: Type.Object({ ...pageQuery, result: Type.Optional(results), outcome: Type.Optional(becameOf) }, strict),
        ...requires("ops:read"),
        detail: {
          summary: "The rows of a bulk operation and what became of each, oldest first",
          description: `A row that is PENDING in a cancelled or stopped operation was not changed by it; the database refused a FAILED one, and \`note\` says why. \`outcome\` says what became of a requeued or retried row, by its present state, and \`error\` why it failed again. A page examines at most ${itemScan} rows: it may be short or empty and still have a next_cursor. Scope: ops:read.`,
        },
      },
    )
    .post(
      "/ops/operations/:operation_id/cancel",
      async ({ params: { operation_id }, body: { reason }, request }) => {
        await sql.operations.cancel({ operation_id, actor: callerOf(request).clientId, reason });
        const operation = await found(operation_id);
        if (operation.status !== "CANCELLED") throw new Problem(409, "NOT_RUNNING", `the operation is ${operation.status}`);
        return operation;
      },
      {
        params,
        body: Type.Object({ reason: longText("why; kept in the audit") }, strict),
        ...requires("ops:write"),
        detail: {
          summary: "Cancel a running bulk operation",
          description: "Rows that are done stay done. A second request gets the same answer. Scope: ops:write.",
        },
      },
    );
}
