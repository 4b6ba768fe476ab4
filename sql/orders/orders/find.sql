-- One order with all its columns, and its entry in the ledger.
-- $1 id
-- returns order_id, idempotency_key, broker_key, client_id, symbol, side, quantity, order_type, limit_price?, client_tag?, status, attempts, outcome_unknown, asks, last_error_code?, last_error_msg?, failed_at?, created_at, updated_at, queued_at, settled_at?, next_attempt_at, expires_at?, locked_by?, lease_until?, request_digest, order_request_json, broker_order_id?, traceparent, trace_id, ledger?
select o.order_id, o.idempotency_key, o.broker_key, o.client_id, o.order_request_json ->> 'symbol' as symbol, o.order_request_json ->> 'side' as side,
  o.order_request_json ->> 'quantity' as quantity, o.order_type, o.order_request_json ->> 'limit_price' as limit_price,
  o.order_request_json ->> 'client_tag' as client_tag, o.status, o.attempts, o.outcome_unknown, o.asks, o.last_error_code, o.last_error_msg,
  iso(o.failed_at) as failed_at, iso(o.created_at) as created_at, iso(o.updated_at) as updated_at, iso(o.queued_at) as queued_at,
  iso(o.settled_at) as settled_at, iso(o.next_attempt_at) as next_attempt_at, iso(o.expires_at) as expires_at, o.locked_by,
  iso(o.lease_until) as lease_until, o.request_digest, o.order_request_json, l.broker_order_id, o.traceparent,
  split_part(o.traceparent, '-', 2) as trace_id,
  case when l.order_id is not null then jsonb_build_object('status', l.status, 'reason_code', l.reason_code, 'reason', l.reason,
    'broker_order_id', l.broker_order_id, 'broker_answer', l.broker_answer, 'attempts', l.attempts, 'accepted_at', iso(l.accepted_at),
    'settled_at', iso(l.settled_at)) end as ledger
from outbox_orders o left join idempo_ledger l using (order_id) where o.order_id = $1::uuid
