import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../../kernel/http/callers.ts";
import { type Cursors, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { count, pathId, uuid } from "../../kernel/http/text.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { markRead, markReadUpTo } from "./reading.ts";

const strict = { additionalProperties: false };
const user = Type.Object({ user_id: pathId("the user") });
const listQuery = Type.Object(
  {
    ...pageQuery,
    unread: Type.Optional(Type.Union([Type.Literal("true"), Type.Literal("false")], { description: "true: only unread ones" })),
  },
  strict,
);
const feedQuery = Type.Object({ after: count("the position to continue after, 0 for all"), limit: pageQuery.limit }, strict);
const readBody = Type.Object(
  {
    notification_ids: Type.Optional(Type.Array(uuid("a notification"), { minItems: 1, maxItems: 200 })),
    up_to: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "all up to this position" })),
  },
  { ...strict, minProperties: 1, maxProperties: 1 },
);

/** The feed of a user, for that user: the newest notifications, those after a position, and marking as read. */
export function feedRoutes(sql: NotificationSql, requires: Requires, cursors: () => Cursors) {
  const stateOf = async (user_id: string) => (await sql.feed.state({ user_id }))[0]!;
  const newestOf = async (user_id: string) => (await sql.feed.newest({ user_id }))[0]!.position;
  return new Elysia({ normalize: false })
    .get(
      "/v1/users/:user_id/notifications",
      async ({ params: { user_id }, query }) => {
        const limit = limitOf(query);
        const list = `notifications ${query.unread ?? "false"} ${user_id}`;
        // The newest position is read first, and a first page goes up to it. So a stream from that position has no gap and no repeat.
        const state = await stateOf(user_id);
        const before_position = query.cursor === undefined ? state.position + 1 : Number(cursors().read(list, query.cursor));
        const page = query.unread === "true" ? sql.feed.unread : sql.feed.page;
        const rows = await page({ user_id, before_position, limit: limit + 1 });
        const notifications = rows.slice(0, limit);
        return {
          user_id,
          notifications,
          unread: state.unread,
          position: state.position,
          ...(rows.length > limit ? { next_cursor: cursors().make(list, String(notifications.at(-1)!.position)) } : {}),
        };
      },
      {
        params: user,
        query: listQuery,
        ...requires({ owner: true }),
        detail: {
          summary: "The notifications of the user, newest first",
          description:
            "`position` is the newest position, 0 if there is none: a feed after it continues without a gap. `unread` is exact below 1,000; 1000 means 1,000 or more. For the user, by a token of the gateway.",
        },
      },
    )
    .get(
      "/v1/users/:user_id/notifications/feed",
      async ({ params: { user_id }, query }) => {
        const after_position = Number(query.after);
        const notifications = await sql.feed.after({ user_id, after_position, limit: limitOf(query) });
        const position = notifications.at(-1)?.position ?? Math.min(after_position, await newestOf(user_id));
        return { user_id, position, notifications };
      },
      {
        params: user,
        query: feedQuery,
        ...requires({ owner: true }),
        detail: {
          summary: "The notifications of the user after a position, in order",
          description:
            "`position` is that of the last notification, or `after` if there is none: ask again after it. If it is lower than `after`, the database was restored to an earlier state: read the list again, and continue after it. Positions count 1, 2, 3 … and appear in order; those past the retention are skipped. For the user, by a token of the gateway.",
        },
      },
    )
    .post(
      "/v1/users/:user_id/notifications/read",
      async ({ params: { user_id }, body: { notification_ids, up_to } }) => {
        const marked = notification_ids ? await markRead(sql, user_id, notification_ids) : await markReadUpTo(sql, user_id, up_to!);
        return { marked, unread: (await stateOf(user_id)).unread };
      },
      {
        params: user,
        body: readBody,
        ...requires({ owner: true }),
        detail: {
          summary: "Mark as read",
          description:
            "Either `notification_ids` or `up_to`. `marked` is how many were unread before; a repeated request marks none. Ids of other users change nothing. For the user, by a token of the gateway.",
        },
      },
    );
}
