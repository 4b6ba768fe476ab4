import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "./callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "./cursor.ts";
import { veiled } from "./masking.ts";
import type { Share } from "./shared_answers.ts";
import { anyId } from "./text.ts";

interface Action {
  readonly action_id: string;
  readonly subject: string;
}

/** The statements over operator_actions, which every system has. */
export interface ActionsSql<Row extends Action> {
  readonly operator_actions: {
    list(parameters: { before_action_id: string; limit: number }): Promise<Row[]>;
    of_subjects(parameters: { subject: readonly string[]; before_action_id: string; limit: number }): Promise<Row[]>;
  };
}

// Of the rows on one page together; more are in the list of actions.
const mostShown = 200;

/** What people did to each of these rows, newest first. */
export async function actionsOf<Row extends Action>({ operator_actions }: ActionsSql<Row>, subjects: readonly string[]) {
  const actions = await operator_actions.of_subjects({ subject: subjects, before_action_id: highestUuid, limit: mostShown });
  return (subject: string) => actions.filter(action => action.subject === subject);
}

/** The audit of what people did to this system's rows. */
export function actionRoutes<Row extends Action>(
  { operator_actions }: ActionsSql<Row>,
  requires: Requires,
  cursors: () => Cursors,
  share: Share,
) {
  const [list, of_subjects] = [share(operator_actions.list), share(operator_actions.of_subjects)];
  return new Elysia({ normalize: false }).get(
    "/ops/actions",
    async ({ query, request }) => {
      const { subject } = query;
      const limit = limitOf(query);
      const name = `actions ${subject ?? ""}`;
      const before_action_id = query.cursor === undefined ? highestUuid : cursors().read(name, query.cursor);
      const page = { before_action_id, limit: limit + 1 };
      const rows = await (subject === undefined ? list(page) : of_subjects({ subject: [subject], ...page }));
      const actions = rows.slice(0, limit);
      return veiled(callerOf(request), {
        actions,
        ...(rows.length > limit ? { next_cursor: cursors().make(name, actions.at(-1)!.action_id) } : {}),
      });
    },
    {
      query: Type.Object(
        { ...pageQuery, subject: Type.Optional(anyId("what was acted on, e.g. an event's id")) },
        { additionalProperties: false },
      ),
      ...requires("ops:read"),
      detail: { summary: "What people did, newest first", description: "Scope: ops:read." },
    },
  );
}
