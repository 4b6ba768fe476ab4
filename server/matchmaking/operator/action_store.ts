import type { ActionsSql } from "../../kernel/operator/action_routes.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { mostActions, operatorKey, timeOf } from "./pause_store.ts";

interface ActionRow {
  readonly action_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly reason: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What operators did to matchmaking, newest first. There are few: they only pause and resume. */
export function actionStore(redis: Redis, prefix: string): ActionsSql<ActionRow> {
  const key = operatorKey(prefix, "actions");
  const newest = async (before: string, most: number): Promise<ActionRow[]> =>
    (await redis.send<string[]>("LRANGE", key, 0, most))
      .flatMap(readAction)
      .filter(({ action_id }) => action_id < before)
      .toSorted((a, b) => (a.action_id < b.action_id ? 1 : -1));

  return {
    operator_actions: {
      async list({ actor, action, operation_id, since, until, before_action_id, limit, scan }) {
        const isWanted = (row: ActionRow) =>
          operation_id === null &&
          (actor === null || row.actor === actor) &&
          (action === null || row.action === action) &&
          (since === null || Date.parse(row.at) >= Date.parse(since)) &&
          (until === null || Date.parse(row.at) < Date.parse(until));
        const rows = (await newest(before_action_id, scan)).filter(isWanted).slice(0, limit);
        return rows.map((row, index) => ({ ...row, matches: true, examined: index + 1 }));
      },
      of_subjects: async ({ subject, before_action_id, limit }) =>
        (await newest(before_action_id, mostActions)).filter(row => subject.includes(row.subject)).slice(0, limit),
    },
  };
}

/** An entry that cannot be read is left out: another program wrote it. */
function readAction(entry: string): ActionRow[] {
  try {
    const { action_id, at, actor, action, subject, reason, detail } = JSON.parse(entry) as Record<string, unknown>;
    const [id, who, what, on, why] = [action_id, actor, action, subject, reason].map(String) as [string, string, string, string, string];
    const { paused_at, ...more } = (detail ?? {}) as Record<string, unknown>;
    return [
      {
        action_id: id,
        at: timeOf(at),
        actor: who,
        action: what,
        subject: on,
        reason: why,
        detail: { ...(paused_at === undefined ? {} : { paused_at: timeOf(paused_at) }), ...more },
      },
    ];
  } catch {
    return [];
  }
}
