import type { outboxRoutes } from "../../../server/entitlement/operator/outbox_routes.ts";
import type { deliveryRoutes } from "../../../server/notification/operator/delivery_routes.ts";
import type { Answer, Count, Counts } from "../api/answers.ts";
import type { System } from "../systems.ts";

export type Tone = "pending" | "flight" | "done" | "retry" | "failed" | "stale";

export interface State {
  readonly name: string;
  readonly word: string;
  readonly tone: Tone;
  /** The order of the list in this state, if it is not newest first. */
  readonly order?: string;
}

type OutboxEvent = Answer<typeof outboxRoutes, "ops/outbox">["events"][number];
type Notification = Answer<typeof deliveryRoutes, "ops/notifications">["notifications"][number];

/** A row of a list, of any system. */
export interface Row {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly user: string;
  readonly item: string | null;
  readonly version: number;
  readonly status: string;
  readonly stale: boolean;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdAt: string;
  /** When the last attempt failed. */
  readonly failedAt: string | null;
  readonly nextRetryAt: string | null;
  readonly doneAt: string | null;
  readonly traceId: string;
}

/** What the two lists differ in. */
export interface Kind {
  readonly name: "outbox" | "notifications";
  readonly system: System;
  readonly title: string;
  readonly one: string;
  readonly about: string;
  readonly states: readonly State[];
  readonly rows: (page: Record<string, unknown>) => Row[];
}

const dueFirst = "Ordered by next attempt";
const leaseFirst = "Ordered by end of lease";
const failedFirst = "Ordered by last failure, newest first";

/** PENDING rows that failed before and wait for their next attempt. */
export const retrying: State = { name: "RETRYING", word: "Retrying", tone: "retry", order: failedFirst };

export const outbox: Kind = {
  name: "outbox",
  system: "entitlement",
  title: "Outbox",
  one: "event",
  about: "Events on their way from entitlement to the stream",
  states: [
    { name: "PENDING", word: "Pending", tone: "pending", order: dueFirst },
    { name: "IN_FLIGHT", word: "In flight", tone: "flight", order: leaseFirst },
    { name: "PUBLISHED", word: "Published", tone: "done" },
    { name: "FAILED", word: "Failed", tone: "failed" },
  ],
  rows: page => (page.events as OutboxEvent[]).map(ofEvent),
};

export const notifications: Kind = {
  name: "notifications",
  system: "notification",
  title: "Notifications",
  one: "notification",
  about: "Deliveries from the stream to the user's inbox",
  states: [
    { name: "PENDING", word: "Pending", tone: "pending", order: dueFirst },
    { name: "PROCESSING", word: "In flight", tone: "flight", order: leaseFirst },
    { name: "SENT", word: "Sent", tone: "done" },
    { name: "FAILED", word: "Failed", tone: "failed" },
  ],
  rows: page => (page.notifications as Notification[]).map(ofNotification),
};

/** The tabs of a list: its states, with a tab for retrying rows after PENDING. */
export const tabsOf = ({ states }: Kind): readonly State[] =>
  states.flatMap(state => (state.name === "PENDING" ? [state, retrying] : [state]));

/** The count of a tab. */
export const countIn = (counts: Counts | undefined, { name }: State): Count | undefined =>
  name === retrying.name ? counts?.retrying : counts?.counts[name];

/** Sort orders of FAILED rows. The first is the default. */
export const sorts = { failed: "last failure", created: "newest", attempts: "most attempts" } as const;
export type Sort = keyof typeof sorts;
export const readSort = (value: unknown): Sort | undefined => (Object.keys(sorts) as Sort[]).find(sort => sort === value);

type Shown = { readonly status?: string | undefined; readonly user_id?: string | undefined };

/** The sort order, if it can be chosen. A list of one user is always newest first. */
export const sortOf = ({ status, user_id }: Shown, sort: Sort | undefined): Sort | undefined =>
  status === "FAILED" && user_id === undefined ? (sort ?? "failed") : undefined;

/** The order of a list, if it is not newest first. A list of one user is always newest first. */
export const orderOf = (kind: Kind, { status, user_id }: Shown) =>
  user_id === undefined ? tabsOf(kind).find(({ name }) => name === status)?.order : undefined;

/** The bulk action of a list: pending rows are retried, failed rows are requeued. */
export const actionOn = (status: string | undefined): "requeue" | "retry" =>
  status === "PENDING" || status === retrying.name ? "retry" : "requeue";
export const isRetrying = ({ status, attempts }: Pick<Row, "status" | "attempts">): boolean => status === "PENDING" && attempts > 0;
/** Whether the action would change this row. */
export const isEligible = (action: "requeue" | "retry", row: Pick<Row, "status" | "attempts">): boolean =>
  action === "retry" ? isRetrying(row) : row.status === "FAILED";

export const kinds: Readonly<Record<Kind["name"], Kind>> = { outbox, notifications };

export const ofEvent = (event: OutboxEvent): Row => ({
  id: event.event_id,
  eventId: event.event_id,
  type: event.event_type,
  user: event.user_id,
  item: event.stock_keeping_unit,
  version: event.aggregate_version,
  status: event.status,
  stale: false,
  attempts: event.attempt_count,
  error: event.last_error,
  createdAt: event.created_at,
  failedAt: event.failed_at ?? null,
  nextRetryAt: event.next_retry_at,
  doneAt: event.published_at,
  traceId: event.trace_id,
});

export const ofNotification = (one: Notification): Row => ({
  id: one.notification_id,
  eventId: one.event_id,
  type: one.type,
  user: one.user_id,
  item: one.stock_keeping_unit ?? null,
  version: one.aggregate_version,
  status: one.status,
  stale: one.stale,
  attempts: one.attempt_count,
  error: one.last_error,
  createdAt: one.created_at,
  failedAt: one.failed_at ?? null,
  nextRetryAt: one.next_retry_at,
  doneAt: one.sent_at,
  traceId: one.trace_id,
});

/** The state as shown. A pending row that failed before is retrying. */
export function stateOf(kind: Kind, row: Pick<Row, "status" | "attempts" | "stale">): State {
  const state = kind.states.find(({ name }) => name === row.status) ?? { name: row.status, word: row.status, tone: "pending" };
  if (isRetrying(row)) return { ...state, word: retrying.word, tone: retrying.tone };
  if (row.stale && state.tone === "done") return { ...state, word: "Stale", tone: "stale" };
  return state;
}

/** `EntitlementGranted` → `Granted`. */
export const verbOf = (type: string): string => type.replace(/^Entitlement/, "");
