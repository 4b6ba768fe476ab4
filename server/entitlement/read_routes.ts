import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/callers.ts";
import { type Cursors, limitOf, pageQuery } from "../kernel/cursor.ts";
import { sqlState } from "../kernel/database.ts";
import { badRequest } from "../kernel/problem.ts";
import { pathId } from "../kernel/text.ts";
import type { EntitlementSql } from "./sql.gen.ts";

const userId = pathId("the user");
const sku = pathId("the stock keeping unit");
const strict = { additionalProperties: false };
// People too: the user themselves, and those who look after users.
const readers = { scope: "entitlements:read", owner: true, roles: ["VIEWER", "OPERATOR", "ADMIN"] } as const;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/;

export interface ReadOptions {
  readonly sql: EntitlementSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly auditMonths: number;
}

/** What a user has, had, and how it came about. */
export function readRoutes({ sql, requires, cursors, auditMonths }: ReadOptions) {
  async function asOf(user_id: string, given: string) {
    if (!moment.test(given))
      throw badRequest("as_of must be a time such as 2026-01-31T09:00:00Z", {
        errors: [{ pointer: "/as_of", detail: "must be an RFC 3339 time" }],
      });
    const [horizon] = await sql.audit.horizon({ keep_months: auditMonths, as_of: given }).catch(error => {
      throw sqlState(error).startsWith("22") ? badRequest("as_of is not a time that exists") : error;
    });
    if (horizon?.too_old) throw badRequest(`as_of lies beyond what the audit keeps (${auditMonths} months, from ${horizon.horizon} on)`);
    if (horizon?.in_future) throw badRequest("as_of lies in the future; leave it out to read the present");
    return sql.list_as_of({ user_id, as_of: given });
  }

  return new Elysia({ normalize: false })
    .get(
      "/v1/users/:user_id/entitlements",
      async ({ params: { user_id }, query: { as_of } }) => ({
        user_id,
        entitlements: as_of === undefined ? await sql.list({ user_id }) : await asOf(user_id, as_of),
      }),
      {
        params: Type.Object({ user_id: userId }),
        query: Type.Object({ as_of: Type.Optional(Type.String({ description: "read the past at this RFC 3339 time" })) }, strict),
        ...requires(readers),
        detail: {
          summary: "What a user has, latest change first",
          description: `An unknown user has none. The past is kept for ${auditMonths} months. Scope: entitlements:read; the user themselves; roles: VIEWER, OPERATOR, ADMIN.`,
        },
      },
    )
    .get(
      "/v1/users/:user_id/entitlements/:sku/history",
      async ({ params, query }) => {
        const list = `history ${params.user_id}\n${params.sku}`;
        const limit = limitOf(query);
        const before_version = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors().read(list, query.cursor));
        const rows = await sql.audit.history({ user_id: params.user_id, stock_keeping_unit: params.sku, before_version, limit: limit + 1 });
        const page = rows.slice(0, limit);
        return {
          user_id: params.user_id,
          stock_keeping_unit: params.sku,
          history: page.map(({ detail, ...row }) => {
            const { reason, purchase_id, trace_id } = detail as { reason: string; purchase_id: string; trace_id: string };
            return { ...row, reason, purchase_id, trace_id };
          }),
          ...(rows.length > limit ? { next_cursor: cursors().make(list, String(page.at(-1)!.version)) } : {}),
        };
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
