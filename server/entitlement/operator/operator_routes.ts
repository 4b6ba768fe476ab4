import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { maskFor } from "../../kernel/http/masking.ts";
import { notFound, Problem } from "../../kernel/http/problem.ts";
import type { Share } from "../../kernel/http/shared_reads.ts";
import { longText, uuid } from "../../kernel/http/text.ts";
import { actionsOf } from "../../kernel/operator/action_routes.ts";
import type { EntitlementSql } from "../sql.gen.ts";
import { requeueEvent } from "./requeue.ts";
import { retryEvent } from "./retry_now.ts";

const strict = { additionalProperties: false };
const eventParams = Type.Object({ event_id: uuid("the event") });

export interface OperatorOptions {
  readonly sql: EntitlementSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
  /** Called when there is something to publish. */
  readonly requeued: () => void;
}

/** What an operator sees of the outbox and may do to it. */
export function operatorRoutes({ sql, requires, cursors, share, requeued }: OperatorOptions) {
  const failed = share(sql.outbox.failed);
  return new Elysia({ normalize: false })
    .get(
      "/ops/outbox/failed",
      async ({ query }) => {
        const limit = limitOf(query);
        const before_event_id = query.cursor === undefined ? highestUuid : cursors().read("outbox failed", query.cursor);
        const rows = await failed({ before_event_id, limit: limit + 1 });
        const events = rows.slice(0, limit);
        return { events, ...(rows.length > limit ? { next_cursor: cursors().make("outbox failed", events.at(-1)!.event_id) } : {}) };
      },
      {
        query: Type.Object(pageQuery, strict),
        ...requires("ops:read"),
        detail: { summary: "Events that could not be published, newest first", description: "Scope: ops:read." },
      },
    )
    .get(
      "/ops/outbox/:event_id",
      async ({ params, request }) => {
        const [[event], actions] = await Promise.all([sql.outbox.find(params), actionsOf(sql, [params.event_id.toLowerCase()])]);
        if (!event) throw notFound("there is no such event in the outbox; confirmed events are deleted after a while");
        return maskFor(callerOf(request), { ...event, actions: actions(event.event_id) });
      },
      { params: eventParams, ...requires("ops:read"), detail: { summary: "One event of the outbox", description: "Scope: ops:read." } },
    )
    .post(
      "/ops/outbox/:event_id/requeue",
      async ({ params: { event_id }, body: { reason }, request }) => {
        const result = await requeueEvent(sql, { event_id, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw notFound("there is no such event in the outbox");
        if (result.outcome === "not_failed")
          throw new Problem(409, "NOT_FAILED", `the event is ${result.status}; only a FAILED one can be requeued`);
        requeued();
        return { event_id, status: "PENDING", publish_generation: result.generation };
      },
      {
        params: eventParams,
        body: Type.Object({ reason: longText("why it is requeued; kept in the audit") }, strict),
        ...requires("ops:write"),
        detail: {
          summary: "Requeue a FAILED event",
          description: "Attempts start anew and the message gets a new id. Asked twice, it answers the same. Scope: ops:write.",
        },
      },
    )
    .post(
      "/ops/outbox/:event_id/retry",
      async ({ params: { event_id }, body: { reason }, request }) => {
        const result = await retryEvent(sql, { event_id, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw notFound("there is no such event in the outbox");
        if (result.outcome === "not_waiting")
          throw new Problem(409, "NOT_WAITING", `the event is ${result.status}; only one that waits can be retried now`, {
            extra: { state: result.status },
          });
        requeued();
        const { next_retry_at, attempt_count } = result;
        return { event_id, status: "PENDING", next_retry_at, attempt_count };
      },
      {
        params: eventParams,
        body: Type.Object({ reason: longText("why; kept in the audit") }, strict),
        ...requires("ops:write"),
        detail: {
          summary: "Retry a waiting event now",
          description:
            "It does not wait for its next attempt any longer. Attempts go on counting: the last one is still the last. One that is FAILED is requeued instead; 409 NOT_WAITING says in `state` what it is. Scope: ops:write.",
        },
      },
    );
}
