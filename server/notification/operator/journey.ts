import { actionsOf } from "../../kernel/operator/action_routes.ts";
import type { NotificationSql, NotificationsAttemptsRow } from "../sql.gen.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const tracePattern = /^[0-9a-f]{32}$/;
const limit = 20;

/** The members that the statement builds as JSON. */
export interface JourneyParts {
  readonly processed: { readonly processed_at: string; readonly stale: boolean; readonly stream_seq: number | null } | null;
  readonly attempts: readonly NotificationsAttemptsRow[];
  readonly dead: { readonly failed_at: string; readonly requeued_at: string | null; readonly requeued_by: string | null } | null;
}

/** The journeys for the id of an event, a notification or a trace; an id of another kind has none. */
export async function journeyOf(sql: NotificationSql, id: string) {
  const given = id.toLowerCase();
  const ids = uuidPattern.test(id)
    ? [given]
    : tracePattern.test(id)
      ? (await sql.journey.by_trace({ trace_id: id, limit })).map(({ event_id }) => event_id)
      : [];
  const notifications = await sql.journey.notifications({ id: ids });
  const event_id = [...new Set([...ids, ...notifications.map(notification => notification.event_id)])];
  const raw_dead_letters = await sql.journey.raw_dead_letters({ event_id, limit });
  const actions = await actionsOf(sql, [...notifications.map(one => one.notification_id), ...raw_dead_letters.map(one => one.id)]);
  const matched_by =
    notifications.length + raw_dead_letters.length === 0
      ? null
      : tracePattern.test(id)
        ? "trace_id"
        : notifications.some(notification => notification.notification_id === given)
          ? "notification_id"
          : "event_id";
  return {
    matched_by,
    notifications: notifications.map(({ processed, attempts, dead, ...notification }) => ({
      ...notification,
      ...({ processed, attempts, dead } as unknown as JourneyParts),
      actions: actions(notification.notification_id),
    })),
    raw_dead_letters: raw_dead_letters.map(letter => ({ ...letter, actions: actions(letter.id) })),
  };
}
