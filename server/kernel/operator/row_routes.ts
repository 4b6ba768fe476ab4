import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../http/cursor.ts";
import type { MaskFor } from "../http/masking.ts";
import { notFound, Problem } from "../http/problem.ts";
import type { Share } from "../http/shared_reads.ts";
import { longText, uuid } from "../http/text.ts";
import { type Action, type ActionsSql, actionsOf } from "./action_routes.ts";
import { type ActionRequest, type ChangeSql, discardRow, type Requeued, retryRow } from "./row_actions.ts";
import { idOf, type RowKind, stateThat } from "./row_kind.ts";

const strict = { additionalProperties: false };
const reasonBody = Type.Object({ reason: longText("why; kept in the audit") }, strict);

/** The short list of failed rows, which has a path and a form of its own. */
export interface FailedList {
  readonly path: string;
  /** The member that holds the rows. */
  readonly rows: string;
  /** What its cursors are signed for. */
  readonly cursor: string;
  readonly summary: string;
  readonly list: (parameters: { before_id: string; limit: number }) => Promise<object[]>;
}

export interface RowOptions<Found extends { readonly status: string }> {
  readonly sql: ActionsSql<Action> & ChangeSql<Found>;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
  /** Hides what only operators may see. */
  readonly maskFor: MaskFor;
  /** Called when there are rows to work on. */
  readonly requeued: () => void;
  readonly failed?: FailedList;
  readonly requeue: (request: ActionRequest) => Promise<Requeued>;
  /** What one row shows besides its columns. */
  readonly details?: (row: Found) => Promise<object>;
  readonly texts: {
    /** The answer about an unknown id, and why a row may be gone. */
    readonly unknown: string;
    readonly deleted: string;
    readonly find: string;
    readonly requeue: string;
    /** Only if the kind offers it. */
    readonly discard?: string;
  };
}

/** The answer to one row: its columns, the details of its kind, and what people did to it. */
export type RowDetail<Found, Done extends Action = Action, Details = unknown> = Found & Details & { readonly actions: Done[] };

/** One row of a kind, the short list of failed rows, and what an operator may do to one row. */
export function rowRoutes<Found extends { readonly status: string }>(kind: RowKind, options: RowOptions<Found>) {
  const { sql, requires, cursors, share, maskFor, requeued, failed, requeue, details, texts } = options;
  const { id, one } = kind;
  const path = `/ops/${kind.name}`;
  const params = Type.Object({ [id]: uuid(`the ${one}`) });
  const [waiting, dead] = [stateThat(kind, "waiting").name, stateThat(kind, "failed").name];
  const admission = (action: "requeue" | "retry" | "discard") =>
    kind.actions[action] === "ADMIN" ? requires({ roles: ["ADMIN"] }) : requires("ops:write");
  const takes = (action: "requeue" | "retry" | "discard") => (kind.actions[action] === "ADMIN" ? "Role: ADMIN." : "Scope: ops:write.");
  const unknown = () => notFound(texts.unknown);
  const notFailed = (status: string, done: string) =>
    new Problem(409, "NOT_FAILED", `the ${one} is ${status}; only ${dead} ones can be ${done}`);

  const reads = new Elysia({ normalize: false }).get(
    `${path}/:${id}`,
    async ({ params: { [id]: asked }, request }): Promise<RowDetail<Found>> => {
      const [row] = await sql.rows.find({ id: asked! });
      if (!row) throw notFound(`${texts.unknown}; ${texts.deleted}`);
      const subject = idOf(kind, row);
      const [more, actions] = await Promise.all([details?.(row), actionsOf(sql, [subject])]);
      return maskFor(callerOf(request), { ...row, ...more, actions: actions(subject) });
    },
    { params, ...requires("ops:read"), detail: { summary: texts.find, description: "Scope: ops:read." } },
  );

  if (failed) {
    const listFailed = share(failed.list);
    reads.get(
      `${path}/${failed.path}`,
      async ({ query }) => {
        const limit = limitOf(query);
        const before_id = query.cursor === undefined ? highestUuid : cursors().read(failed.cursor, query.cursor);
        const rows = await listFailed({ before_id, limit: limit + 1 });
        const page = rows.slice(0, limit);
        return {
          [failed.rows]: page,
          ...(rows.length > limit ? { next_cursor: cursors().make(failed.cursor, idOf(kind, page.at(-1)!)) } : {}),
        };
      },
      {
        query: Type.Object(pageQuery, strict),
        ...requires("ops:read"),
        detail: { summary: failed.summary, description: "Scope: ops:read." },
      },
    );
  }

  if (kind.actions.requeue)
    reads.post(
      `${path}/:${id}/requeue`,
      async ({ params: { [id]: asked }, body: { reason }, request }) => {
        const result = await requeue({ id: asked!, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw unknown();
        if (result.outcome === "not_failed") throw notFailed(result.status, "requeued");
        if (result.outcome === "refused") throw new Problem(409, "NEVER_REQUEUED", result.why);
        requeued();
        return { [id]: asked, status: waiting, ...result.answer };
      },
      {
        params,
        body: reasonBody,
        ...admission("requeue"),
        detail: { summary: `Requeue one of the ${dead} ${kind.many}`, description: `${texts.requeue} ${takes("requeue")}` },
      },
    );

  if (kind.actions.retry)
    reads.post(
      `${path}/:${id}/retry`,
      async ({ params: { [id]: asked }, body: { reason }, request }) => {
        const result = await retryRow(sql, { id: asked!, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw unknown();
        if (result.outcome === "not_waiting")
          throw new Problem(409, "NOT_WAITING", `the ${one} is ${result.status}; only one that waits can be retried now`, {
            extra: { state: result.status },
          });
        requeued();
        const { status, due, attempts } = kind.columns;
        return { [id]: asked, ...Object.fromEntries([status, due, attempts].map(column => [column, Reflect.get(result.row, column)])) };
      },
      {
        params,
        body: reasonBody,
        ...admission("retry"),
        detail: {
          summary: `Retry a waiting ${one} now`,
          description: `Its next attempt is due at once. Attempts go on counting: the last one is still the last. ${dead} ones are requeued instead; 409 NOT_WAITING has its state in \`state\`. ${takes("retry")}`,
        },
      },
    );

  if (kind.actions.discard)
    reads.post(
      `${path}/:${id}/discard`,
      async ({ params: { [id]: asked }, body: { reason }, request }) => {
        const result = await discardRow(sql, kind, { id: asked!, actor: callerOf(request).clientId, reason });
        if (result.outcome === "unknown") throw unknown();
        if (result.outcome === "not_failed") throw notFailed(result.status, "discarded");
        return { [id]: asked, status: "DISCARDED" };
      },
      {
        params,
        body: reasonBody,
        ...admission("discard"),
        detail: {
          summary: `Delete one of the ${dead} ${kind.many}`,
          description: `${texts.discard} The audit keeps what it was. A second request gets the same answer. ${takes("discard")}`,
        },
      },
    );
  return reads;
}
