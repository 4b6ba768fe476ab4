import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../kernel/http/cursor.ts";
import { badRequest } from "../kernel/http/problem.ts";
import { longText } from "../kernel/http/text.ts";
import type { User } from "./changes.ts";
import type { AccountSql } from "./sql.gen.ts";

const query = Type.Object(
  {
    search: Type.Optional(longText("the beginning of an e-mail address or a display name; upper and lower case are the same")),
    email: Type.Optional(longText("the whole e-mail address; upper and lower case are the same")),
    status: Type.Optional(Type.Literal("SUSPENDED", { description: "only those who are suspended" })),
    role: Type.Optional(
      Type.Union([Type.Literal("VIEWER"), Type.Literal("OPERATOR"), Type.Literal("ADMIN")], { description: "only those with this role" }),
    ),
    ...pageQuery,
  },
  { additionalProperties: false },
);

type Query = typeof query.static;

export interface ListOptions {
  readonly sql: AccountSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
}

/** Lists of users. Each is led by one index, so a page costs the same however many users there are; that is why filters are not combined. */
export function listRoutes({ sql, requires, cursors }: ListOptions) {
  const newestFirst = (asked: Query): ((place: { before_user_id: string; limit: number }) => Promise<readonly User[]>) => {
    const { email, status, role } = asked;
    if (email !== undefined) return place => sql.users.by_email({ email, ...place });
    if (status !== undefined) return place => sql.users.suspended(place);
    if (role !== undefined) return place => sql.users.by_role({ role, ...place });
    return place => sql.users.list(place);
  };

  async function page(asked: Query) {
    const limit = limitOf(asked);
    const list = listOf(asked);
    const before_user_id = asked.cursor === undefined ? highestUuid : cursors().read(list, asked.cursor);
    const rows = await newestFirst(asked)({ before_user_id, limit: limit + 1 });
    const users = rows.slice(0, limit);
    return { users, ...(rows.length > limit ? { next_cursor: cursors().make(list, users.at(-1)!.user_id) } : {}) };
  }

  async function found(asked: Query, beginning: string) {
    const limit = limitOf(asked);
    const list = listOf(asked);
    const [after_matched = null, after_user_id = null] = asked.cursor === undefined ? [] : cursors().read(list, asked.cursor).split(" ");
    const rows = await sql.users.search({ beginning, after_user_id, after_matched, limit: limit + 1 });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    // Who is found by both stands there once.
    const users = [...new Map(rows.slice(0, limit).map(({ matched: _, ...user }) => [user.user_id, user])).values()];
    return { users, ...(last ? { next_cursor: cursors().make(list, `${last.matched} ${last.user_id}`) } : {}) };
  }

  return new Elysia({ normalize: false }).get(
    "/admin/users",
    async ({ query: asked }) => {
      if (leadersOf(asked).length > 1) throw badRequest("search, email, status and role cannot be combined; ask for one of them");
      return asked.search === undefined ? page(asked) : found(asked, asked.search.trim());
    },
    {
      query,
      ...requires({ roles: ["VIEWER", "OPERATOR", "ADMIN"] }),
      detail: {
        summary: "Users: all, by the beginning of an e-mail address or name, by e-mail address, the suspended ones, or those with a role",
        description: "Newest first; a search in the order of what was found. At most one filter. Roles: VIEWER, OPERATOR, ADMIN.",
      },
    },
  );
}

const leadersOf = ({ search, email, status, role }: Query) => [search, email, status, role].filter(one => one !== undefined);

/** Which list a cursor belongs to. */
const listOf = ({ search, email, status, role }: Query) =>
  ["users", search?.trim().toLowerCase() ?? "", email?.toLowerCase() ?? "", status ?? "", role ?? ""].join("\n");
