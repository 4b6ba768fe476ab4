import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../http/cursor.ts";
import { maskFor } from "../http/masking.ts";
import { badRequest } from "../http/problem.ts";
import type { Share } from "../http/shared_reads.ts";
import { anyId, moment, uuid } from "../http/text.ts";
import { scannedPage } from "./scanned_page.ts";

export interface Action {
  readonly action_id: string;
  readonly subject: string;
}

interface ActionFilter {
  readonly actor: string | null;
  readonly action: string | null;
  readonly operation_id: string | null;
  readonly since: string | null;
  readonly until: string | null;
}

/** The statements over operator_actions, which every system has. */
export interface ActionsSql<Row extends Action> {
  readonly operator_actions: {
    list(
      parameters: ActionFilter & { before_action_id: string; limit: number; scan: number },
    ): Promise<(Row & { readonly matches: boolean; readonly examined: number })[]>;
    of_subjects(parameters: { subject: readonly string[]; before_action_id: string; limit: number }): Promise<Row[]>;
  };
}

// For all rows of one page together; the list of actions has the others.
const mostShown = 200;

/** What people did to each of these rows, newest first. */
export async function actionsOf<Row extends Action>({ operator_actions }: ActionsSql<Row>, subjects: readonly string[]) {
  const actions = await operator_actions.of_subjects({ subject: subjects, before_action_id: highestUuid, limit: mostShown });
  return (subject: string) => actions.filter(action => action.subject === subject);
}

// A filter may match one row in a million, so a page examines at most this many.
const scan = 10_000;

const query = Type.Object(
  {
    ...pageQuery,
    subject: Type.Optional(anyId("what was acted on, e.g. an event's id; goes with no other filter")),
    actor: Type.Optional(anyId("who acted, e.g. user:… or the client of a key")),
    action: Type.Optional(anyId("what was done: the kind and the action, e.g. operation.start")),
    operation_id: Type.Optional(uuid("a bulk operation: what it did to each row")),
    since: Type.Optional(moment("done at this time or later")),
    until: Type.Optional(moment("done before this time")),
  },
  { additionalProperties: false },
);

/** The audit of what people did to this system's rows. A bulk operation is one row, unless the filter names the operation. */
export function actionRoutes<Row extends Action>(
  { operator_actions }: ActionsSql<Row>,
  requires: Requires,
  cursors: () => Cursors,
  share: Share,
) {
  const [list, of_subjects] = [share(operator_actions.list), share(operator_actions.of_subjects)];

  async function ofSubject(subject: string, limit: number, before_action_id: string) {
    const rows = await of_subjects({ subject: [subject], before_action_id, limit: limit + 1 });
    return { page: rows.slice(0, limit), last: rows.length > limit ? rows[limit - 1] : undefined };
  }
  async function matching(filter: ActionFilter, limit: number, before_action_id: string) {
    return scannedPage(await list({ ...filter, before_action_id, limit: limit + 1, scan }), limit, scan);
  }

  return new Elysia({ normalize: false }).get(
    "/ops/actions",
    async ({ query: { limit: _, cursor, subject, ...given }, query, request }) => {
      const { actor = null, action = null, operation_id = null, since = null, until = null } = given;
      const filter = { actor, action, operation_id: operation_id?.toLowerCase() ?? null, since, until };
      if (subject !== undefined && Object.keys(given).length > 0) throw badRequest("a subject goes with no other filter");
      const name = subject === undefined ? `actions ${JSON.stringify(filter)}` : `actions of ${subject}`;
      const before = cursor === undefined ? highestUuid : cursors().read(name, cursor);
      const limit = limitOf(query);
      const { page, last } = await (subject === undefined ? matching(filter, limit, before) : ofSubject(subject, limit, before));
      return maskFor(callerOf(request), { actions: page, ...(last ? { next_cursor: cursors().make(name, last.action_id) } : {}) });
    },
    {
      query,
      ...requires("ops:read"),
      detail: {
        summary: "What people did, newest first",
        description:
          "A bulk operation is one action, `operation.start`; with `operation_id` what it did to each row. With `subject` everything that was done to it. A page examines at most 10,000 actions: with a filter it may be short or empty and still have a next_cursor. Scope: ops:read.",
      },
    },
  );
}
