import { anyTrace } from "./entitlement_rows.ts";
import { rowFactory } from "./rows.ts";

type NotificationColumn =
  | "stock_keeping_unit"
  | "notification_id"
  | "event_id"
  | "user_id"
  | "type"
  | "aggregate_key"
  | "aggregate_version"
  | "stale"
  | "payload"
  | "traceparent"
  | "channel"
  | "status"
  | "attempt_count"
  | "attempts_made"
  | "next_retry_at"
  | "last_error"
  | "failed_at"
  | "locked_by"
  | "locked_at"
  | "lease_until"
  | "claim_token"
  | "created_at"
  | "sent_at"
  | "position"
  | "read_at";

/**
 * Notifications as the consumer writes them. Presets: alice's item, PENDING, due at once.
 * A PROCESSING one has a lease of an hour. A SENT one has position 1: several of one user need positions of their own.
 */
export const notifications = rowFactory<NotificationColumn>(
  "notifications",
  "notification_id",
  ({
    user_id = "'alice'",
    stock_keeping_unit = "'item'",
    aggregate_version = "1",
    status = "'PENDING'",
    created_at = "now()",
    next_retry_at = created_at,
  }) => ({
    event_id: "uuidv7()",
    user_id,
    type: "'EntitlementGranted'",
    aggregate_key: `${user_id} || ':' || ${stock_keeping_unit}`,
    aggregate_version,
    stale: "false",
    payload: `jsonb_build_object('user_id', ${user_id}, 'stock_keeping_unit', ${stock_keeping_unit}, 'version', ${aggregate_version})`,
    traceparent: anyTrace,
    channel: "'log'",
    status,
    next_retry_at,
    created_at,
    lease_until: `case ${status} when 'PROCESSING' then now() + interval '1 hour' end`,
    claim_token: `case ${status} when 'PROCESSING' then gen_random_uuid() end`,
    sent_at: `case ${status} when 'SENT' then ${created_at} end`,
    position: `case ${status} when 'SENT' then 1 end`,
  }),
  ["stock_keeping_unit"],
);

type DeadLetterColumn =
  | "notification_id"
  | "event_id"
  | "user_id"
  | "reason"
  | "attempts"
  | "payload"
  | "failed_at"
  | "requeued_at"
  | "requeued_by"
  | "requeue_reason";

/** Dead letters, made from notifications: `from` has the columns of these. */
export const deadLetters = rowFactory<DeadLetterColumn>("notification_dlq", "notification_id", () => ({
  notification_id: "notification_id",
  event_id: "event_id",
  user_id: "user_id",
  reason: "coalesce(last_error, '')",
  attempts: "attempt_count",
  payload: "payload",
}));

type AttemptColumn = "notification_id" | "number" | "worker" | "started_at" | "duration_ms" | "outcome" | "error";

/** Attempts to deliver notifications: `from` has their ids. */
export const deliveryAttempts = rowFactory<AttemptColumn>("notification_attempts", "notification_id", () => ({
  notification_id: "notification_id",
  number: 1,
  worker: "'w'",
  started_at: "now()",
  duration_ms: 1,
  outcome: "'retry'",
}));

type ProcessedColumn =
  | "event_id"
  | "event_type"
  | "aggregate_key"
  | "aggregate_version"
  | "stale"
  | "stream_seq"
  | "processed_at"
  | "trace_id";

/** Events that were consumed. */
export const processedEvents = rowFactory<ProcessedColumn>("processed_events", "event_id", () => ({
  event_id: "gen_random_uuid()",
  event_type: "'EntitlementGranted'",
  aggregate_key: "'alice:item'",
  aggregate_version: 1,
  stale: "false",
  stream_seq: 1,
}));
