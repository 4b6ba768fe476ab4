import { rowFactory } from "./rows.ts";

/** A trace context for rows whose trace does not matter. */
export const anyTrace = "'00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'";

type EventColumn =
  | "user_id"
  | "stock_keeping_unit"
  | "event_id"
  | "event_type"
  | "aggregate_key"
  | "aggregate_version"
  | "payload"
  | "traceparent"
  | "status"
  | "attempt_count"
  | "next_retry_at"
  | "last_error"
  | "failed_at"
  | "publish_generation"
  | "locked_by"
  | "locked_at"
  | "lease_until"
  | "claim_token"
  | "created_at"
  | "published_at"
  | "stream_seq"
  | "stream_duplicate"
  | "confirmed_at"
  | "missing_at";

/**
 * Events as the change statement writes them. Presets: alice's item, PENDING, due at once.
 * An IN_FLIGHT event has a lease of an hour. A PUBLISHED one is not confirmed.
 */
export const outboxEvents = rowFactory<EventColumn>(
  "outbox_events",
  "event_id",
  ({
    user_id = "'alice'",
    stock_keeping_unit = "'item'",
    aggregate_version = "1",
    status = "'PENDING'",
    created_at = "now()",
    next_retry_at = created_at,
  }) => ({
    event_id: "uuidv7()",
    event_type: "'EntitlementGranted'",
    aggregate_key: `${user_id} || ':' || ${stock_keeping_unit}`,
    aggregate_version,
    payload: `jsonb_build_object('user_id', ${user_id}, 'stock_keeping_unit', ${stock_keeping_unit}, 'source', 'purchase', 'source_id', 'p_1', 'version', ${aggregate_version}, 'occurred_at', iso(${created_at}))`,
    traceparent: anyTrace,
    status,
    next_retry_at,
    created_at,
    published_at: `case ${status} when 'PUBLISHED' then ${created_at} end`,
    lease_until: `case ${status} when 'IN_FLIGHT' then now() + interval '1 hour' end`,
    claim_token: `case ${status} when 'IN_FLIGHT' then gen_random_uuid() end`,
  }),
  ["user_id", "stock_keeping_unit"],
);

type EntitlementColumn =
  | "user_id"
  | "stock_keeping_unit"
  | "status"
  | "version"
  | "granted_at"
  | "revoked_at"
  | "source"
  | "source_id"
  | "updated_at";

/** Entitlements. Presets: alice's item, ACTIVE since now. */
export const entitlements = rowFactory<EntitlementColumn>(
  "entitlements",
  "stock_keeping_unit",
  ({ status = "'ACTIVE'", updated_at = "now()" }) => ({
    user_id: "'alice'",
    stock_keeping_unit: "'item'",
    status,
    version: 1,
    granted_at: updated_at,
    revoked_at: `case ${status} when 'REVOKED' then ${updated_at} end`,
    source: "'purchase'",
    source_id: "'p_1'",
    updated_at,
  }),
);

type AuditColumn = "at" | "event_id" | "user_id" | "stock_keeping_unit" | "status" | "version" | "previous_at" | "client_id" | "detail";

/** The audit of changes. */
export const audits = rowFactory<AuditColumn>("entitlement_audit", "event_id", () => ({
  at: "now()",
  event_id: "uuidv7()",
  user_id: "'alice'",
  stock_keeping_unit: "'item'",
  status: "'ACTIVE'",
  version: 1,
  client_id: "'tester'",
  detail: "'{}'",
}));

type KeyColumn = "client_id" | "route" | "idem_key" | "request_hash" | "response_code" | "response_body" | "created_at" | "expires_at";

/** Request keys with their stored responses. */
export const idempotencyKeys = rowFactory<KeyColumn>("idempotency_keys", "idem_key", () => ({
  client_id: "'shop'",
  route: "'/v1/entitlements/grants'",
  idem_key: "gen_random_uuid()::text",
  request_hash: "'hash'",
  response_code: 200,
  response_body: "'{}'",
  expires_at: "now() + interval '1 day'",
}));
