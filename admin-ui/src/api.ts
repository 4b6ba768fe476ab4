/** The operator API as the gateway serves it: one place for its types and for how it is called. */
export type System = "entitlement" | "notification";
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
  readonly type: string;
  readonly aggregate_version: number;
  readonly stale: boolean;
  readonly channel: string;
  readonly status: string;
  readonly attempt_count: number;
  readonly last_error: string | null;
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
  readonly more?: boolean;
  readonly first_at: string;
  readonly last_at: string;
  readonly sample_error: string;
  readonly sample_id: string;
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
}

export type BulkAction = "requeue" | "discard";

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
  readonly status: "RUNNING" | "DONE" | "CANCELLED";
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly cancelled_by: string | null;
}

export interface OperationItem {
  readonly subject: string;
  readonly result: "PENDING" | "DONE" | "SKIPPED" | "FAILED";
  readonly note: string | null;
}

/** A refusal in the server's own words (RFC 9457). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

export async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(path, { ...init, headers: { "x-kenri-csrf": "1", ...init.headers } }).catch(() => {
    throw new Refusal(0, "UNREACHABLE", "the gateway cannot be reached");
  });
  if (response.status === 401) location.assign(`/login?returnTo=${encodeURIComponent(location.pathname + location.search)}`);
  if (response.status === 204) return undefined as T;
  const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  if (!response.ok)
    throw new Refusal(response.status, body.code ?? "UNKNOWN", body.detail ?? `the server answered ${response.status} without saying why`);
  return body as T;
}

export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** Reads from a service's operator API; parameters that are not set are left out. */
export function ask<T>(system: System, path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const query = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
  return call<T>(`/admin/api/${system}/${path}${query}`, signal ? { signal } : {});
}

export function tell<T>(system: System, path: string, body: object): Promise<T> {
  return call<T>(`/admin/api/${system}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
