import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { maskFor } from "../../kernel/http/masking.ts";
import { pathId } from "../../kernel/http/text.ts";
import type { EntitlementSql } from "../sql.gen.ts";
import { aboutPages, holdings, holdingsQuery } from "./holdings.ts";

const userId = pathId("the user");
const sku = pathId("the stock keeping unit");
const strict = { additionalProperties: false };
// People too: the user themselves, and those who look after users.
const readers = { scope: "entitlements:read", owner: true, roles: ["VIEWER", "OPERATOR", "ADMIN"] } as const;

export interface ReadOptions {
  readonly sql: EntitlementSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly auditMonths: number;
}

/** What a user has, had, and how it came about. */
export function readRoutes({ sql, requires, cursors, auditMonths }: ReadOptions) {
  const held = holdings({ sql, cursors, auditMonths });
  return new Elysia({ normalize: false })
    .get("/v1/users/:user_id/entitlements", ({ params: { user_id }, query }) => held(user_id, query), {
      params: Type.Object({ user_id: userId }),
      query: Type.Object(holdingsQuery, strict),
      ...requires(readers),
      detail: {
        summary: "What a user has, by stock_keeping_unit, page by page",
        description: `${aboutPages} The past is kept for ${auditMonths} months. Scope: entitlements:read; the user themselves; roles: VIEWER, OPERATOR, ADMIN.`,
      },
    })
    .get(
      "/v1/users/:user_id/entitlements/:sku/history",
      async ({ params, query, request }) => {
        const list = `history ${params.user_id}\n${params.sku}`;
        const limit = limitOf(query);
        const before_version = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors().read(list, query.cursor));
        const rows = await sql.audit.history({ user_id: params.user_id, stock_keeping_unit: params.sku, before_version, limit: limit + 1 });
        const page = rows.slice(0, limit);
        const answer = {
          user_id: params.user_id,
          stock_keeping_unit: params.sku,
          history: page.map(({ detail, ...row }) => {
            const { reason, purchase_id, trace_id } = detail as { reason: string; purchase_id: string; trace_id: string };
            return { ...row, reason, purchase_id, trace_id };
          }),
          ...(rows.length > limit ? { next_cursor: cursors().make(list, String(page.at(-1)!.version)) } : {}),
        };
        const caller = callerOf(request);
        return caller.person?.userId === params.user_id ? answer : maskFor(caller, answer);
      },
      {
        params: Type.Object({ user_id: userId, sku }),
        query: Type.Object(pageQuery, strict),
        ...requires(readers),
        detail: {
          summary: "Every change of one entitlement, newest first",
          description:
            "With event ids and who asked for it. Scope: entitlements:read; the user themselves; roles: VIEWER, OPERATOR, ADMIN.",
        },
      },
    );
}
