import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { maskFor } from "../../kernel/http/masking.ts";
import { notFound, Problem } from "../../kernel/http/problem.ts";
import type { Share } from "../../kernel/http/shared_reads.ts";
import { longText, uuid } from "../../kernel/http/text.ts";
import { actionsOf } from "../../kernel/operator/action_routes.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { requeueNotification } from "./requeue.ts";
import { retryNotification } from "./retry_now.ts";

const strict = { additionalProperties: false };
const reasonBody = Type.Object({ reason: longText("why; kept in the audit") }, strict);
const page = Type.Object(pageQuery, strict);
const notificationParams = Type.Object({ notification_id: uuid("the notification") });

export interface OperatorOptions {
  readonly sql: NotificationSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
  /** Called when there is something to send. */
  readonly requeued: () => void;
}

/** What an operator sees of failed deliveries and may do to them. */
export function operatorRoutes({ sql, requires, cursors, share, requeued }: OperatorOptions) {
  const dead = share(sql.notifications.dead);
  return new Elysia({ normalize: false })
    .get(
      "/ops/notifications/dead",
      async ({ query }) => {
        const limit = limitOf(query);
        const before_notification_id = query.cursor === undefined ? highestUuid : cursors().read("dead", query.cursor);
        const rows = await dead({ before_notification_id, limit: limit + 1 });
        const dead_letters = rows.slice(0, limit);
        return {
          dead_letters,
          ...(rows.length > limit ? { next_cursor: cursors().make("dead", dead_letters.at(-1)!.notification_id) } : {}),
        };
      },
      {
        query: page,
        ...requires("ops:read"),
        detail: { summary: "Dead letters that nobody has requeued, newest first", description: "Scope: ops:read." },
      },
    )
    .get(
      "/ops/notifications/:notification_id",
      async ({ params, request }) => {
        const [notification] = await sql.notifications.find(params);
        if (!notification) throw notFound("there is no such notification; sent ones are deleted after a while");
        const { notification_id } = notification;
        const [attempts, actions] = await Promise.all([sql.notifications.attempts(params), actionsOf(sql, [notification_id])]);
        return maskFor(callerOf(request), { ...notification, attempts, actions: actions(notification_id) });
      },
      {
        params: notificationParams,
        ...requires("ops:read"),
        detail: { summary: "One notification with its last 100 attempts", description: "Scope: ops:read." },
      },
    )
    .post(
      "/ops/notifications/:notification_id/requeue",
      async ({ params: { notification_id }, body: { reason }, request }) => {
        const result = await requeueNotification(sql, { id: notification_id, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw notFound("there is no such notification");
        if (result.outcome === "not_failed")
          throw new Problem(409, "NOT_FAILED", `the notification is ${result.status}; only a FAILED one can be requeued`);
        requeued();
        return { notification_id, status: "PENDING" };
      },
      {
        params: notificationParams,
        body: reasonBody,
        ...requires("ops:write"),
        detail: {
          summary: "Requeue a FAILED notification",
          description: "Attempts start anew; its dead letter stays and says who did it. Scope: ops:write.",
        },
      },
    )
    .post(
      "/ops/notifications/:notification_id/retry",
      async ({ params: { notification_id }, body: { reason }, request }) => {
        const result = await retryNotification(sql, { notification_id, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw notFound("there is no such notification");
        if (result.outcome === "not_waiting")
          throw new Problem(409, "NOT_WAITING", `the notification is ${result.status}; only one that waits can be retried now`, {
            extra: { state: result.status },
          });
        requeued();
        const { next_retry_at, attempt_count } = result;
        return { notification_id, status: "PENDING", next_retry_at, attempt_count };
      },
      {
        params: notificationParams,
        body: reasonBody,
        ...requires("ops:write"),
        detail: {
          summary: "Retry a waiting notification now",
          description:
            "It does not wait for its next attempt any longer. Attempts go on counting: the last one is still the last. One that is FAILED is requeued instead; 409 NOT_WAITING says in `state` what it is. Scope: ops:write.",
        },
      },
    );
}
