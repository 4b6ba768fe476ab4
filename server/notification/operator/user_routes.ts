import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { pathId } from "../../kernel/http/text.ts";
import { maskFor } from "../masking.ts";
import type { NotificationSql } from "../sql.gen.ts";

type Show = "all" | "delivered" | "unread";
const shows = (["all", "delivered", "unread"] satisfies Show[]).map(one => Type.Literal(one));

/** One user's inbox as an operator sees it. Reading it marks nothing as read. */
export function userRoutes(sql: NotificationSql, requires: Requires, cursors: () => Cursors) {
  /** All notifications by age; delivered ones by their position in the feed, as the user sees them. */
  async function read(user_id: string, show: Show, after: string | undefined, limit: number) {
    if (show === "all") {
      const rows = await sql.notifications.inbox({ user_id, before_notification_id: after ?? highestUuid, limit });
      return rows.map(row => ({ row, place: row.notification_id }));
    }
    const page = show === "unread" ? sql.feed.unread : sql.feed.page;
    const rows = await page({ user_id, before_position: after === undefined ? Number.MAX_SAFE_INTEGER : Number(after), limit });
    return rows.map(row => ({ row: { ...row, status: "SENT" }, place: String(row.position) }));
  }

  return new Elysia({ normalize: false }).get(
    "/ops/users/:user_id/inbox",
    async ({ params: { user_id }, query, request }) => {
      const limit = limitOf(query);
      const show = query.show ?? "all";
      const list = `inbox of ${show} ${user_id}`;
      const after = query.cursor === undefined ? undefined : cursors().read(list, query.cursor);
      const [rows, [state]] = await Promise.all([read(user_id, show, after, limit + 1), sql.feed.state({ user_id })]);
      const page = rows.slice(0, limit);
      return maskFor(callerOf(request), {
        user_id,
        unread: state!.unread,
        position: state!.position,
        notifications: page.map(({ row }) => row),
        ...(rows.length > limit ? { next_cursor: cursors().make(list, page.at(-1)!.place) } : {}),
      });
    },
    {
      params: Type.Object({ user_id: pathId("the user") }),
      query: Type.Object(
        { ...pageQuery, show: Type.Optional(Type.Union(shows, { description: "all by default, also those not delivered" })) },
        { additionalProperties: false },
      ),
      ...requires("ops:read"),
      detail: {
        summary: "A user's inbox, newest first",
        description:
          "`unread` is exact below 1,000; 1000 means 1,000 or more. `position` is the newest position in the user's feed. Nothing is marked as read. Scope: ops:read.",
      },
    },
  );
}
