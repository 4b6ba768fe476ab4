import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { badRequest } from "../../kernel/http/problem.ts";
import type { Downstream } from "../calls/downstream.ts";
import { type SessionGuard, signedInOf } from "../edge/session_guard.ts";
import type { Streams } from "./streams.ts";

const strict = { additionalProperties: false };
const positionPattern = /^\d{1,15}$/;

/** A user's own notifications: the list, marking them read, and the stream of new ones. */
export function notificationRoutes(services: Downstream, streams: Streams, guard: SessionGuard) {
  const signedIn = guard.signedIn();
  const pathFor = (userId: string, rest = "") => `/v1/users/${encodeURIComponent(userId)}/notifications${rest}`;
  return new Elysia({ normalize: false })
    .get(
      "/v1/me/notifications",
      async ({ request }) => {
        const { context } = signedInOf(request);
        return services.ask<object>("notification", pathFor(context.person.userId, new URL(request.url).search), context);
      },
      {
        query: Type.Object(
          {
            limit: Type.Optional(Type.String({ description: "1 to 200, 50 by default" })),
            cursor: Type.Optional(Type.String({ description: "next_cursor of the page before" })),
            unread: Type.Optional(Type.String({ description: "true: only unread ones" })),
          },
          strict,
        ),
        ...signedIn,
        detail: { summary: "Notifications of the signed-in user, newest first", description: "A stream can continue after `position`." },
      },
    )
    .post(
      "/v1/me/notifications/read",
      async ({ request, body }) => {
        const { context } = signedInOf(request);
        return services.ask<object>("notification", pathFor(context.person.userId, "/read"), context, { method: "POST", body });
      },
      {
        body: Type.Object(
          { notification_ids: Type.Optional(Type.Array(Type.String())), up_to: Type.Optional(Type.Integer({ minimum: 0 })) },
          strict,
        ),
        ...signedIn,
        detail: {
          summary: "Mark notifications as read",
          description: "By notification_ids, or all up_to a position. Needs the header X-Kenri-CSRF.",
        },
      },
    )
    .get(
      "/v1/me/notifications/stream",
      ({ request, query }) => {
        const after = request.headers.get("last-event-id") ?? query.after;
        if (after !== undefined && !positionPattern.test(after))
          throw badRequest("Last-Event-ID (or after) must be the id of an event of this stream");
        return streams.open(signedInOf(request), after === undefined ? undefined : Number(after));
      },
      {
        query: Type.Object({ after: Type.Optional(Type.String({ description: "continue after this position" })) }, strict),
        ...signedIn,
        detail: {
          summary: "New notifications as they arrive (server-sent events)",
          description:
            "Starts after Last-Event-ID, or after the position in `after`, otherwise with the next notification. Each notification is an event `notification` whose id is its position. An event `reset` means that positions went back, because the database was restored to an earlier state: read the list again.",
        },
      },
    );
}
