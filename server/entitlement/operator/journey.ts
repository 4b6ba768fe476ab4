import { actionsOf } from "../../kernel/operator/action_routes.ts";
import type { EntitlementSql, JourneyEventsRow } from "../sql.gen.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const tracePattern = /^[0-9a-f]{32}$/;
const limit = 20;

/** The members that the statement builds as JSON. */
export interface JourneyParts {
  readonly audit: {
    readonly at: string;
    readonly client_id: string;
    readonly status: string;
    readonly version: number;
    readonly detail: unknown;
  } | null;
  /** The request key of the change, until it expires. */
  readonly idempotency: {
    readonly client_id: string;
    readonly route: string;
    readonly idem_key: string;
    readonly response_code: number;
    readonly created_at: string;
    readonly expires_at: string;
  } | null;
}

/** Tries each kind of id that this may be, the narrowest first. A UUID may also be an idempotency key. */
export async function journeyOf(sql: EntitlementSql, id: string) {
  const { by_trace, by_purchase, by_idempotency_key } = sql.journey;
  const lookups: [name: string, possible: boolean, find: () => Promise<{ event_id: string | null }[]>][] = [
    ["event_id", uuidPattern.test(id), async () => [{ event_id: id }]],
    ["trace_id", tracePattern.test(id), () => by_trace({ trace_id: id, limit })],
    ["idempotency_key", true, () => by_idempotency_key({ idem_key: id, limit })],
    ["purchase_id", true, () => by_purchase({ purchase_id: id, limit })],
  ];
  for (const [matched_by, possible, find] of lookups) {
    if (!possible) continue;
    const ids = (await find()).flatMap(({ event_id }) => event_id ?? []);
    const events = ids.length > 0 ? await sql.journey.events({ event_id: ids }) : [];
    if (events.length > 0) return { matched_by, events: await withActions(sql, events) };
  }
  return { matched_by: null, events: [] };
}

async function withActions(sql: EntitlementSql, events: readonly JourneyEventsRow[]) {
  const actions = await actionsOf(
    sql,
    events.map(event => event.event_id),
  );
  return events.map(({ audit, idempotency, ...event }) => ({
    ...event,
    ...({ audit, idempotency } as JourneyParts),
    actions: actions(event.event_id),
  }));
}
