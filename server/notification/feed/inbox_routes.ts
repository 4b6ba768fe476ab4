import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { pathId } from "../../kernel/http/text.ts";
import { maskFor } from "../masking.ts";
import type { NotificationSql } from "../sql.gen.ts";

/** The debug inbox: the notifications of a user, newest first. */
export const inboxRoutes = (sql: NotificationSql, requires: Requires, cursors: () => Cursors) =>
  new Elysia({ normalize: false }).get(
    "/debug/notification/inbox/:user_id",
    async ({ params: { user_id }, query, request }) => {
      const limit = limitOf(query);
      const list = `inbox ${user_id}`;
      const before_notification_id = query.cursor === undefined ? highestUuid : cursors().read(list, query.cursor);
      const rows = await sql.notifications.inbox({ user_id, before_notification_id, limit: limit + 1 });
      const notifications = rows.slice(0, limit);
      return maskFor(callerOf(request), {
        user_id,
        notifications,
        ...(rows.length > limit ? { next_cursor: cursors().make(list, notifications.at(-1)!.notification_id) } : {}),
      });
    },
    {
      params: Type.Object({ user_id: pathId("the user") }),
      query: Type.Object(pageQuery, { additionalProperties: false }),
      ...requires("ops:read"),
      detail: {
        summary: "A user's inbox, newest first",
        description: "For debugging; off in production unless DEBUG_INBOX=true. Scope: ops:read.",
      },
    },
  );
