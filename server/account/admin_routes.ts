import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../kernel/http/cursor.ts";
import { verb } from "../kernel/http/custom_methods.ts";
import { longText, uuid } from "../kernel/http/text.ts";
import { roles } from "../kernel/http/tokens.ts";
import { actorOf, answerTo, noSuchUser } from "./answers.ts";
import { changeStatus, setRoles, signOut } from "./changes.ts";
import type { AccountSql } from "./sql.gen.ts";

const strict = { additionalProperties: false };
const params = Type.Object({ user_id: uuid("the user") });
const reason = longText("why; kept in the audit");
const lookers = { roles: ["VIEWER", "OPERATOR", "ADMIN"] } as const;
const admins = { roles: ["ADMIN"] } as const;

export interface AdminOptions {
  readonly sql: AccountSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
}

/** What the people who look after users see and may do. */
export function adminRoutes({ sql, requires, cursors }: AdminOptions) {
  return new Elysia({ normalize: false })
    .get(
      "/admin/users/:user_id/audit",
      async ({ params: { user_id }, query }) => {
        const limit = limitOf(query);
        const list = `audit ${user_id}`;
        const before_audit_id = query.cursor === undefined ? highestUuid : cursors().read(list, query.cursor);
        const rows = await sql.audit.list({ user_id, before_audit_id, limit: limit + 1 });
        // Everybody's audit begins with how they came to be.
        if (rows.length === 0 && query.cursor === undefined) throw noSuchUser();
        const audit = rows.slice(0, limit);
        return { user_id, audit, ...(rows.length > limit ? { next_cursor: cursors().make(list, audit.at(-1)!.audit_id) } : {}) };
      },
      {
        params,
        query: Type.Object(pageQuery, strict),
        ...requires(lookers),
        detail: { summary: "What was done to a user, newest first", description: "Roles: VIEWER, OPERATOR, ADMIN." },
      },
    )
    .post(
      verb("/admin/users/:user_id", "suspend"),
      async ({ params: { user_id }, body, request }) =>
        answerTo(await changeStatus(sql, { user_id, actor: actorOf(request) }, "SUSPENDED", body.reason)),
      {
        params,
        body: Type.Object({ reason }, strict),
        ...requires(admins),
        detail: { operationId: "suspendUser", summary: "Suspend a user", description: "Nobody can suspend themselves. Role: ADMIN." },
      },
    )
    .post(
      verb("/admin/users/:user_id", "restore"),
      async ({ params: { user_id }, body, request }) =>
        answerTo(await changeStatus(sql, { user_id, actor: actorOf(request) }, "ACTIVE", body.reason)),
      {
        params,
        body: Type.Object({ reason }, strict),
        ...requires(admins),
        detail: { operationId: "restoreUser", summary: "Restore a suspended user", description: "Role: ADMIN." },
      },
    )
    .post(
      verb("/admin/users/:user_id", "sign-out"),
      async ({ params: { user_id }, body, request }) => answerTo(await signOut(sql, { user_id, actor: actorOf(request) }, body.reason)),
      {
        params,
        body: Type.Object({ reason }, strict),
        ...requires(admins),
        detail: {
          operationId: "signUserOut",
          summary: "Put on record that a user's sessions are ended",
          description: "The gateway keeps the sessions and ends them after this. Role: ADMIN.",
        },
      },
    )
    .put(
      "/admin/users/:user_id/roles",
      async ({ params: { user_id }, body, request }) =>
        answerTo(await setRoles(sql, { user_id, actor: actorOf(request) }, body.roles, body.reason)),
      {
        params,
        body: Type.Object(
          {
            roles: Type.Array(Type.Union(roles.map(role => Type.Literal(role))), {
              maxItems: 10,
              description: "all of them; USER always stays",
            }),
            reason,
          },
          strict,
        ),
        ...requires(admins),
        detail: { summary: "Give a user exactly these roles", description: "Nobody can take ADMIN from themselves. Role: ADMIN." },
      },
    );
}
