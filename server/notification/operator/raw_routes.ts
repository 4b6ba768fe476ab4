import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../../kernel/http/cursor.ts";
import { notFound, Problem } from "../../kernel/http/problem.ts";
import type { Share } from "../../kernel/http/shared_reads.ts";
import { longText, uuid } from "../../kernel/http/text.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import { actionsOf } from "../../kernel/operator/action_routes.ts";
import type { Source } from "../intake/source.ts";
import { maskFor } from "../masking.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { discardRaw, reprocessRaw } from "./raw_dead_letters.ts";

const strict = { additionalProperties: false };
const reasonBody = Type.Object({ reason: longText("why; kept in the audit") }, strict);
const letterParams = Type.Object({ id: uuid("the raw dead letter") });
const which = Type.Optional(
  Type.Union([Type.Literal("open"), Type.Literal("all")], { description: "open (the default), or all: also reprocessed ones" }),
);

export interface RawOptions {
  readonly sql: NotificationSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
  readonly sources: readonly Source[];
  readonly channel: string;
  readonly signatures: Signatures;
  /** Called when there are notifications to send. */
  readonly requeued: () => void;
}

// The limit of a count, as in the lists.
const most = 10_000;

/** Messages that could not be read, with their bytes, and what an operator may do to them. */
export function rawRoutes({ sql, requires, cursors, share, sources, channel, signatures, requeued }: RawOptions) {
  const [open, all] = [share(sql.raw_dead_letters.list), share(sql.raw_dead_letters.list_all)];
  const count = share(sql.raw_dead_letters.count);
  return new Elysia({ normalize: false })
    .get(
      "/ops/raw-dead-letters",
      async ({ query }) => {
        const limit = limitOf(query);
        const [name, read] = query.which === "all" ? (["raw all", all] as const) : (["raw", open] as const);
        const before_id = query.cursor === undefined ? highestUuid : cursors().read(name, query.cursor);
        const rows = await read({ before_id, limit: limit + 1 });
        const raw_dead_letters = rows.slice(0, limit);
        return { raw_dead_letters, ...(rows.length > limit ? { next_cursor: cursors().make(name, raw_dead_letters.at(-1)!.id) } : {}) };
      },
      {
        query: Type.Object({ ...pageQuery, which }, strict),
        ...requires("ops:read"),
        detail: { summary: "Messages that could not be read, newest first", description: "Scope: ops:read." },
      },
    )
    .get("/ops/raw-dead-letters/counts", async () => ({ open: (await count({ most }))[0]! }), {
      query: Type.Object({}, strict),
      ...requires("ops:read"),
      detail: {
        summary: "How many messages could not be read and are still open",
        description: "Exact up to 10,000; `more` says that there are more. Scope: ops:read.",
      },
    })
    .get(
      "/ops/raw-dead-letters/:id",
      async ({ params, request }) => {
        const [letter] = await sql.raw_dead_letters.find(params);
        if (!letter) throw notFound("there is no such raw dead letter");
        const actions = (await actionsOf(sql, [letter.id]))(letter.id);
        const whole = { ...letter, size: letter.data.length, data: Buffer.from(letter.data).toString("hex"), actions };
        return maskFor(callerOf(request), whole);
      },
      {
        params: letterParams,
        ...requires("ops:read"),
        detail: { summary: "One raw dead letter, its bytes as hex", description: "Scope: ops:read." },
      },
    )
    .post(
      "/ops/raw-dead-letters/:id/reprocess",
      async ({ params: { id }, body: { reason }, request }) => {
        const result = await reprocessRaw(sources, { id, actor: callerOf(request).clientId, reason }, { sql, channel, signatures });
        if (result.outcome === "unknown") throw notFound("there is no such raw dead letter");
        if (result.outcome === "unreadable") throw new Problem(409, "STILL_UNREADABLE", `it still cannot be read: ${result.reason}`);
        if (result.outcome === "untrusted") throw new Problem(409, "STILL_UNTRUSTED", `it is not consumed: ${result.reason}`);
        if (result.outcome === "unknown_stream") throw new Problem(409, "UNKNOWN_STREAM", `it cannot be read: ${result.reason}`);
        if (result.outcome === "refused") throw new Problem(409, "REFUSED", `it is not consumed: ${result.reason}`);
        requeued();
        return { id, status: "TAKEN_IN" };
      },
      {
        params: letterParams,
        body: reasonBody,
        ...requires("ops:write"),
        detail: {
          summary: "Read a raw dead letter again",
          description:
            "After a fix. 409 STILL_UNREADABLE if it breaks a rule, 409 STILL_UNTRUSTED if it is not signed with one of today's keys, 409 UNKNOWN_STREAM if it came from a stream that is no longer read, 409 REFUSED if it contradicts what was consumed before (a match with a player who was announced in another one). A second request gets the same answer. Scope: ops:write.",
        },
      },
    )
    .post(
      "/ops/raw-dead-letters/:id/discard",
      async ({ params: { id }, body: { reason }, request }) => {
        const result = await discardRaw(sql, { id, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw notFound("there is no such raw dead letter");
        if (result.outcome === "taken_in") throw new Problem(409, "TAKEN_IN", "it was consumed; there is nothing to discard");
        return { id, status: "DISCARDED" };
      },
      {
        params: letterParams,
        body: reasonBody,
        ...requires({ roles: ["ADMIN"] }),
        detail: {
          summary: "Delete a raw dead letter",
          description: "It is never read again; the audit keeps what it was. A second request gets the same answer. Role: ADMIN.",
        },
      },
    );
}
