import { anyTrace } from "./entitlement_rows.ts";
import { rowFactory } from "./rows.ts";

type OrderColumn =
  | "symbol"
  | "side"
  | "quantity"
  | "order_type"
  | "order_id"
  | "idempotency_key"
  | "client_id"
  | "order_request_json"
  | "request_digest"
  | "status"
  | "attempts"
  | "last_error_code"
  | "last_error_msg"
  | "failed_at"
  | "locked_by"
  | "locked_at"
  | "lease_until"
  | "claim_token"
  | "expires_at"
  | "traceparent"
  | "created_at"
  | "queued_at"
  | "next_attempt_at"
  | "settled_at"
  | "outcome_unknown"
  | "asks"
  | "calls";

/**
 * Orders of the outbox. Presets: the shop buys ten KEN at the market, pending, due at once. An order that is `sending` has a lease of an hour. A settled
 * one was settled when it was created, and one that failed has the code UNAVAILABLE.
 */
export const orders = rowFactory<OrderColumn>(
  "outbox_orders",
  "order_id",
  ({
    client_id = "'shop'",
    symbol = "'KEN'",
    side = "'BUY'",
    quantity = "'10'",
    order_type = "'MARKET'",
    status = "'pending'",
    created_at = "now()",
    last_error_code = `case when ${status} in ('failed', 'aborted') then 'UNAVAILABLE' end`,
  }) => ({
    order_id: "uuidv7()",
    idempotency_key: `${client_id} || ':' || gen_random_uuid()`,
    client_id,
    order_request_json: `jsonb_build_object('symbol', ${symbol}, 'side', ${side}, 'quantity', ${quantity}, 'order_type', ${order_type})`,
    request_digest: "md5(random()::text)",
    status,
    last_error_code,
    failed_at: `case when ${status} in ('failed', 'aborted') then ${created_at} end`,
    traceparent: anyTrace,
    created_at,
    queued_at: created_at,
    next_attempt_at: created_at,
    settled_at: `case when ${status} in ('succeeded', 'aborted') then ${created_at} end`,
    lease_until: `case ${status} when 'sending' then now() + interval '1 hour' end`,
    claim_token: `case ${status} when 'sending' then gen_random_uuid() end`,
  }),
  ["symbol", "side", "quantity", "order_type"],
);

type EntryColumn =
  | "idempotency_key"
  | "order_id"
  | "client_id"
  | "request_digest"
  | "order_request_json"
  | "status"
  | "reason_code"
  | "reason"
  | "broker_order_id"
  | "attempts"
  | "accepted_at"
  | "settled_at";

/** Entries of the ledger. Presets: those of the orders that they are made from. */
export const ledgerEntries = rowFactory<EntryColumn>("idempo_ledger", "order_id", () => ({
  idempotency_key: "idempotency_key",
  order_id: "order_id",
  client_id: "client_id",
  request_digest: "request_digest",
  order_request_json: "order_request_json",
  status: "case status when 'succeeded' then 'succeeded' when 'aborted' then 'failed' else 'accepted' end",
  reason_code: "case status when 'aborted' then last_error_code end",
  attempts: "attempts",
  accepted_at: "created_at",
  settled_at: "settled_at",
}));
