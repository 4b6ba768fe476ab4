-- Orders with an unknown outcome, oldest first.
-- $1 after_id: begin after this order
-- $2 limit
-- returns order_id, idempotency_key, client_id, symbol, side, quantity, order_type, limit_price?, status, attempts, outcome_unknown, last_error_code?, last_error_msg?, failed_at?, created_at, settled_at?, next_attempt_at, expires_at?, broker_order_id?, trace_id, unknown_since
select o.order_id, o.idempotency_key, o.client_id, o.order_request_json ->> 'symbol' as symbol, o.order_request_json ->> 'side' as side,
  o.order_request_json ->> 'quantity' as quantity, o.order_request_json ->> 'order_type' as order_type, o.order_request_json ->> 'limit_price' as limit_price,
  o.status, o.attempts, o.outcome_unknown, o.last_error_code, o.last_error_msg, iso(o.failed_at) as failed_at, iso(o.created_at) as created_at,
  iso(o.settled_at) as settled_at, iso(o.next_attempt_at) as next_attempt_at, iso(o.expires_at) as expires_at, null::text as broker_order_id,
  split_part(o.traceparent, '-', 2) as trace_id, iso(coalesce(o.unknown_since, o.queued_at)) as unknown_since
from outbox_orders o where outcome_unknown and order_id > $1::uuid order by order_id limit $2::int
