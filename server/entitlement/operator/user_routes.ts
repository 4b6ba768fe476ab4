import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { keyParameter } from "../../kernel/http/idempotency_key.ts";
import { changedIdWithoutColon, longText, newId, pathId } from "../../kernel/http/text.ts";
import { actionsOf } from "../../kernel/operator/action_routes.ts";
import { checkIds } from "../changes/change_ids.ts";
import { submitChange } from "../changes/change_request.ts";
import type { Change, Changes } from "../changes/changes.ts";
import { aboutPages, holdings, holdingsQuery } from "../changes/holdings.ts";
import { maskFor } from "../masking.ts";
import type { EntitlementSql } from "../sql.gen.ts";

const strict = { additionalProperties: false };
const params = Type.Object({ user_id: pathId("the user") });
const changeBody = Type.Object(
  {
    stock_keeping_unit: changedIdWithoutColon("what is granted or revoked"),
    purchase_id: newId("the business record behind it, e.g. an order or a ticket"),
    reason: longText("why; kept in the audit, and not shown to the user"),
  },
  strict,
);
// The reason that the user and other systems see.
const source = "operator";
// API keys use /v1/entitlements: a key that may requeue must not be able to grant.
const operators = { roles: ["OPERATOR", "ADMIN"] } as const;

export interface UserOptions {
  readonly sql: EntitlementSql;
  readonly changes: Changes;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly auditMonths: number;
}

/** One user as an operator sees them: entitlements, history, and a change by hand. */
export function userRoutes({ sql, changes, requires, cursors, auditMonths }: UserOptions) {
  const held = holdings({ sql, cursors, auditMonths });
  const change =
    (target: Change["target"], route: string) =>
    async ({ params: { user_id }, body, request }: { params: typeof params.static; body: typeof changeBody.static; request: Request }) => {
      await checkIds(sql, user_id, body.stock_keeping_unit);
      return submitChange(changes, request, {
        route,
        target,
        userId: user_id,
        sku: body.stock_keeping_unit,
        source,
        sourceId: body.purchase_id,
        operatorReason: body.reason,
      });
    };
  const changing = (summary: string) => ({
    params,
    body: changeBody,
    ...requires(operators),
    detail: {
      summary,
      description:
        "As by /v1/entitlements, in the name of the person: under an Idempotency-Key, with the row that names them in the same transaction. Roles: OPERATOR, ADMIN.",
      parameters: [keyParameter],
    },
  });

  return new Elysia({ normalize: false })
    .get("/ops/users/:user_id/entitlements", ({ params: { user_id }, query }) => held(user_id, query), {
      params,
      query: Type.Object(holdingsQuery, strict),
      ...requires("ops:read"),
      detail: {
        summary: "What a user has, by stock_keeping_unit, page by page",
        description: `${aboutPages} The past is kept for ${auditMonths} months. Scope: ops:read.`,
      },
    })
    .get(
      "/ops/users/:user_id/history",
      async ({ params: { user_id }, query, request }) => {
        const limit = limitOf(query);
        const list = `history of ${user_id}`;
        const before_event_id = query.cursor === undefined ? highestUuid : cursors().read(list, query.cursor);
        const rows = await sql.audit.of_user({ user_id, before_event_id, limit: limit + 1 });
        const page = rows.slice(0, limit);
        const actions = await actionsOf(
          sql,
          page.map(row => row.event_id),
        );
        return maskFor(callerOf(request), {
          user_id,
          history: page.map(({ detail, ...row }) => {
            const { reason, purchase_id, trace_id } = detail as { reason: string; purchase_id: string; trace_id: string };
            return { ...row, reason, purchase_id, trace_id, actions: actions(row.event_id) };
          }),
          ...(rows.length > limit ? { next_cursor: cursors().make(list, page.at(-1)!.event_id) } : {}),
        });
      },
      {
        params,
        query: Type.Object(pageQuery, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Every change of what a user has, newest first",
          description: "Of all items, with the client of each change and what operators did. Scope: ops:read.",
        },
      },
    )
    .post("/ops/users/:user_id/grants", change("ACTIVE", "/ops/users/{user_id}/grants"), changing("Grant by hand"))
    .post("/ops/users/:user_id/revokes", change("REVOKED", "/ops/users/{user_id}/revokes"), changing("Revoke by hand"));
}
