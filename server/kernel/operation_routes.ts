import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "./callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "./cursor.ts";
import { notFound, Problem } from "./problem.ts";
import type { Share } from "./shared_answers.ts";
import { longText, uuid } from "./text.ts";

const strict = { additionalProperties: false };
const params = Type.Object({ operation_id: uuid("the operation") });
const results = Type.Union([Type.Literal("PENDING"), Type.Literal("DONE"), Type.Literal("SKIPPED"), Type.Literal("FAILED")], {
  description: "only these",
});

export interface Operation {
  readonly operation_id: string;
  readonly kind: string;
  readonly action: string;
  readonly status: string;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
}

interface Item {
  readonly position: number;
  readonly subject: string;
  readonly result: string;
  readonly note: string | null;
}

/** The statements of every system for its operations. */
export interface OperationsSql {
  list(parameters: { before_operation_id: string; limit: number }): Promise<Operation[]>;
  find(parameters: { operation_id: string }): Promise<Operation[]>;
  items(parameters: { operation_id: string; result: string | null; after_position: number; limit: number }): Promise<Item[]>;
  cancel(parameters: { operation_id: string; actor: string; reason: string }): Promise<unknown[]>;
}

export interface OperationOptions {
  readonly sql: OperationsSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
}

/** Bulk operations: how far they are, what became of each row, and their end before the end. */
export function operationRoutes({ sql, requires, cursors, share }: OperationOptions) {
  const [list, items] = [share(sql.list), share(sql.items)];
  async function found(operation_id: string): Promise<Operation> {
    const [operation] = await sql.find({ operation_id });
    if (!operation) throw notFound("there is no such operation");
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
          operations,
          ...(rows.length > limit ? { next_cursor: cursors().make("operations", operations.at(-1)!.operation_id) } : {}),
        };
      },
      {
        query: Type.Object(pageQuery, strict),
        ...requires("ops:read"),
        detail: { summary: "Bulk operations, newest first", description: "Scope: ops:read." },
      },
    )
    .get("/ops/operations/:operation_id", ({ params: { operation_id } }) => found(operation_id), {
      params,
      ...requires("ops:read"),
      detail: { summary: "One bulk operation, with how far it is", description: "Scope: ops:read." },
    })
    .get(
      "/ops/operations/:operation_id/items",
      async ({ params: { operation_id }, query }) => {
        await found(operation_id);
        const limit = limitOf(query);
        const name = `items ${operation_id} ${query.result ?? ""}`;
        const after_position = query.cursor === undefined ? 0 : Number(cursors().read(name, query.cursor));
        const rows = await items({ operation_id, result: query.result ?? null, after_position, limit: limit + 1 });
        const page = rows.slice(0, limit);
        return {
          items: page.map(({ subject, result, note }) => ({ subject, result, note })),
          ...(rows.length > limit ? { next_cursor: cursors().make(name, String(page.at(-1)!.position)) } : {}),
        };
      },
      {
        params,
        query: Type.Object({ ...pageQuery, result: Type.Optional(results) }, strict),
        ...requires("ops:read"),
        detail: {
          summary: "The rows of a bulk operation and what became of each, oldest first",
          description:
            "What is PENDING in a cancelled operation was not touched by it; what is FAILED was refused by the database, in the words of the note. Scope: ops:read.",
        },
      },
    )
    .post(
      "/ops/operations/:operation_id/cancel",
      async ({ params: { operation_id }, body: { reason }, request }) => {
        await sql.cancel({ operation_id, actor: callerOf(request).clientId, reason });
        const operation = await found(operation_id);
        if (operation.status !== "CANCELLED") throw new Problem(409, "NOT_RUNNING", `the operation is ${operation.status}`);
        return operation;
      },
      {
        params,
        body: Type.Object({ reason: longText("why; kept in the audit") }, strict),
        ...requires("ops:write"),
        detail: {
          summary: "End a running bulk operation where it is",
          description: "What is done stays done. Asked twice, it answers the same. Scope: ops:write.",
        },
      },
    );
}
