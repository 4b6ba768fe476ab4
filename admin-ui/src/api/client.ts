import type { QueryFunctionContext } from "@tanstack/react-query";

/** Calls of the operator API, which the gateway serves. */
export type System = "entitlement" | "notification";
/** Whose configuration can be seen. */
export type Configured = System | "account" | "gateway";
export type Role = "USER" | "VIEWER" | "OPERATOR" | "ADMIN";

export interface Me {
  readonly user_id: string;
  readonly display_name: string | null;
  readonly email: string | null;
  readonly roles: readonly Role[];
}

/** The same names in lists and in bulk. */
export interface Filter {
  readonly status?: string;
  readonly type?: string;
  readonly user_id?: string;
  readonly error?: string;
  readonly fingerprint?: string;
  readonly min_attempts?: number;
  readonly created_from?: string;
  readonly created_to?: string;
}

/** Exact up to a bound, then `more`. */
export interface Count {
  readonly count: number;
  readonly more: boolean;
}

export interface Counts {
  readonly counts: Readonly<Record<string, Count>>;
  readonly oldest_pending_at: string | null;
  readonly unconfirmed?: Count;
  /** PENDING rows that failed before and wait for their next attempt. */
  readonly retrying: Count;
}

export interface OutboxEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly user_id: string;
  readonly stock_keeping_unit: string;
  readonly aggregate_version: number;
  readonly status: string;
  readonly attempt_count: number;
  readonly last_error: string | null;
  /** When the last attempt failed. */
  readonly failed_at?: string | null;
  readonly created_at: string;
  readonly published_at: string | null;
  readonly next_retry_at: string | null;
  readonly confirmed_at: string | null;
  readonly publish_generation: number;
  readonly stream_seq: number | null;
  readonly stream_duplicate?: boolean | null;
  readonly trace_id: string;
}

export interface DeadLetter {
  readonly failed_at: string;
  readonly requeued_at: string | null;
  readonly requeued_by: string | null;
}

export interface Notification {
  readonly notification_id: string;
  readonly event_id: string;
  readonly user_id: string;
  readonly stock_keeping_unit?: string | null;
  readonly type: string;
  readonly aggregate_version: number;
  readonly stale: boolean;
  readonly channel: string;
  readonly status: string;
  readonly attempt_count: number;
  readonly last_error: string | null;
  /** When the last attempt failed. */
  readonly failed_at?: string | null;
  readonly created_at: string;
  readonly sent_at: string | null;
  readonly next_retry_at: string | null;
  readonly position: number | null;
  readonly read_at: string | null;
  readonly trace_id: string;
  readonly dead: DeadLetter | null;
}

export interface Attempt {
  readonly number: number;
  readonly worker: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly outcome: "sent" | "retry" | "dead";
  readonly error: string | null;
}

export interface Action {
  readonly action_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly reason: string;
  readonly detail: unknown;
}

export interface Group {
  readonly fingerprint: string;
  readonly count: number;
  /** There may be more than were looked at. */
  readonly more: boolean;
  /** Times of failure. */
  readonly first_at: string;
  readonly last_at: string;
  /** Of rows that retry: the first next attempt. */
  readonly next_at?: string;
  readonly sample_error: string;
  readonly sample_id: string;
}

/** What failed by its cause, and whether there are more causes. */
export interface Groups {
  readonly groups: readonly Group[];
  readonly more: boolean;
}

/** An event whose row was deleted from the outbox after its time is known from the audit: it has no status then. */
export interface JourneyEvent extends Omit<OutboxEvent, "status" | "attempt_count" | "publish_generation"> {
  readonly status: string | null;
  readonly attempt_count: number | null;
  readonly publish_generation: number | null;
  readonly audit: { at: string; client_id: string; status: string; version: number; detail: unknown } | null;
  readonly idempotency: {
    client_id: string;
    route: string;
    idem_key: string;
    response_code: number;
    created_at: string;
    expires_at: string;
  } | null;
  readonly actions: readonly Action[];
}

export interface JourneyNotification extends Notification {
  readonly processed: { processed_at: string; stale: boolean; stream_seq: number | null } | null;
  readonly attempts: readonly Attempt[];
  readonly actions: readonly Action[];
}

export interface EventJourney {
  readonly matched_by: string | null;
  readonly events: readonly JourneyEvent[];
}

export interface NotificationJourney {
  readonly matched_by: string | null;
  readonly notifications: readonly JourneyNotification[];
  readonly raw_dead_letters: readonly (RawDeadLetter & { readonly actions: readonly Action[] })[];
}

/** What is kept of an idempotency key, for one client and route. */
export interface StoredResponse {
  readonly client_id: string;
  readonly route: string;
  readonly request_hash: string;
  readonly response_code: number;
  readonly answer: unknown;
  readonly created_at: string;
  readonly expires_at: string;
  readonly expired: boolean;
  readonly replays: number;
  readonly replayed_at: string | null;
  readonly event_id: string | null;
}

/** Something that always holds, or soon will again, and what breaks it. */
export interface Invariant {
  readonly name: string;
  readonly about: string;
  readonly bounded: string | null;
  readonly count: Count;
  readonly oldest: string | null;
  readonly sample: readonly string[];
  readonly state: "ok" | "watch" | "broken";
}

export interface StreamSeen {
  readonly stream: string;
  readonly incarnation: string;
  readonly last_seq: number;
  readonly resend_before: string | null;
  readonly observed_at: string;
}

export interface ReconcilerState {
  readonly every_seconds: number;
  readonly due: boolean;
  readonly last_run: {
    readonly outcome: string;
    readonly note: string | null;
    readonly started_at: string;
    readonly finished_at: string;
    readonly worker: string;
    readonly looked_at: number;
    readonly confirmed: number;
    readonly resent: number;
  } | null;
}

/** The stream and the reconciler are entitlement's. */
export interface Consistency {
  readonly invariants: readonly Invariant[];
  readonly stream?: StreamSeen | null;
  readonly reconciler?: ReconcilerState;
}

export interface ConfigSetting {
  readonly variable: string;
  readonly about: string;
  readonly value: string | null;
  readonly preset: string | null;
  readonly is_set: boolean;
  readonly is_secret: boolean;
}

export interface ConfigGroup {
  readonly name: string;
  readonly settings: readonly ConfigSetting[];
}

/** A message that could not be read. */
export interface RawDeadLetter {
  readonly id: string;
  readonly stream: string;
  readonly stream_seq: number;
  readonly subject: string;
  readonly reason: string;
  /** What is wrong with its signature; null if nothing is. */
  readonly untrusted: "unsigned" | "malformed" | "unknown_key" | "forged" | null;
  readonly event_id: string | null;
  readonly size: number;
  readonly received_at: string;
  readonly reprocessed_at?: string | null;
}

/** Those not yet reprocessed. */
export interface RawDeadLetterCounts {
  readonly open: Count;
}

export interface RawDeadLetterDetail extends RawDeadLetter {
  readonly headers: Readonly<Record<string, string>>;
  /** As hex. */
  readonly data: string;
  readonly actions: readonly Action[];
}

/** An event as the relay publishes it. */
export interface PublishedMessage {
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number;
  readonly hex: string;
  readonly decoded: readonly { readonly number: number; readonly name: string; readonly type: string; readonly value: string | null }[];
}

export type BulkAction = "requeue" | "discard" | "retry";

export interface Preview {
  readonly count: number;
  readonly eligible: number;
  readonly ineligible: Readonly<Record<string, number>>;
  readonly set_hash: string;
  readonly sample: readonly string[];
}

export interface Operation {
  readonly operation_id: string;
  readonly kind: "outbox" | "notifications";
  readonly action: BulkAction;
  readonly filter: Filter;
  readonly reason: string;
  readonly actor: string;
  readonly status: "RUNNING" | "DONE" | "CANCELLED" | "STOPPED";
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly cancelled_by: string | null;
  /** Why it is STOPPED: whoever started it may not do so any more. */
  readonly stop_reason: string | null;
  /** It is RUNNING, and waits until the gateway confirms whoever started it. */
  readonly waits: boolean;
  /** What became of the rows that were requeued or retried, by the states they have now. */
  readonly outcome: Outcome | null;
}

export interface Outcome {
  readonly delivered: number;
  readonly failed_again: number;
  readonly retrying: number;
  readonly on_the_way: number;
  readonly gone: number;
  /** There are more rows than were looked at. */
  readonly more: boolean;
}

export interface OperationItem {
  readonly subject: string;
  readonly result: "PENDING" | "DONE" | "SKIPPED" | "FAILED";
  readonly note: string | null;
  readonly outcome: "DELIVERED" | "FAILED_AGAIN" | "RETRYING" | "ON_THE_WAY" | "GONE" | null;
  /** Why it failed again. */
  readonly error: string | null;
}

/** What passed a step in a minute, and how long it had taken since the change. */
export interface StepMinute {
  readonly count: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

/** Every minute of a time, the last of them still running. */
export interface FlowSeries {
  readonly from: string;
  readonly to: string;
  readonly minutes: readonly ({ readonly minute: string } & { readonly [step: string]: StepMinute | string })[];
}

export interface HealthPart {
  readonly name: string;
  readonly state: "ok" | "trouble" | "unknown";
  readonly detail: string | null;
}

export interface SystemHealth {
  readonly dependencies: readonly HealthPart[];
  readonly workers: readonly HealthPart[];
  readonly breakers: readonly HealthPart[];
  readonly consumer: { readonly pending: number; readonly ack_pending: number; readonly redelivered: number } | null;
}

/** An error response of the server: its problem details (RFC 9457). Status 0: no response. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

export const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => (await request<T>(path, init)).body;

/** The response body, and whether it is a stored response. */
async function request<T>(path: string, init: RequestInit): Promise<{ body: T; isReplayed: boolean }> {
  const response = await fetch(path, { ...init, headers: { "x-kenri-csrf": "1", ...init.headers } }).catch(() => {
    throw new ApiError(0, "UNREACHABLE", "the gateway is unreachable");
  });
  if (response.status === 401) location.assign(`/login?returnTo=${encodeURIComponent(location.pathname + location.search)}`);
  const isReplayed = response.headers.get("idempotency-replayed") === "true";
  if (response.status === 204) return { body: undefined as T, isReplayed };
  const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  if (!response.ok)
    throw new ApiError(response.status, body.code ?? "UNKNOWN", body.detail ?? `the server answered ${response.status} without a reason`);
  return { body: body as T, isReplayed };
}

export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** The context that TanStack Query passes to a query function. */
export type QueryContext = Pick<QueryFunctionContext, "signal" | "client" | "queryKey">;

/**
 * Reads from a service's operator API. Undefined parameters are left out. A periodic refresh accepts a result shared with other operators.
 * An invalidated query asks for fresh data: after an action, or on a manual refresh. Health and charts may still be 2 s old.
 */
export function get<T>(system: Configured, path: string, parameters: Parameters, { signal, client, queryKey }: QueryContext): Promise<T> {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const query = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
  const headers: Record<string, string> = client.getQueryState(queryKey)?.isInvalidated ? { "cache-control": "no-cache" } : {};
  return call<T>(`/admin/api/${system}/${path}${query}`, { signal, headers });
}

const jsonPost = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

export const post = <T>(system: System, path: string, body: object): Promise<T> => call<T>(`/admin/api/${system}/${path}`, jsonPost(body));

/** Repeated calls with the same request key are applied once. */
export const postOnce = <T>(system: System, path: string, body: object, key: string) =>
  request<T>(`/admin/api/${system}/${path}`, jsonPost(body, { "idempotency-key": key }));
