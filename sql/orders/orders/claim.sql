-- Claims due orders, those due longest first. Orders have no order among each other.
-- The connection must be durable: after a claim the order may be at the broker, and the database must not forget that.
-- $1 worker
-- $2 token
-- $3 limit
-- $4 lease_seconds
-- $5 from: due times up to here are not looked at (an optimisation; see head.sql)
-- returns order_id, aggregate_key, idempotency_key, broker_key, order_request_json, traceparent, attempts, outcome_unknown, asks, last_error_code?, last_error_msg?, failed_seconds?, expires_in_seconds?, queued_seconds
with due as materialized (
  select ctid from outbox_orders
  where status in ('pending', 'failed') and next_attempt_at > $5::timestamptz and next_attempt_at <= now()
  order by next_attempt_at limit $3::int for update skip locked
), claimed as (
  update outbox_orders set status = 'sending', locked_by = $1, locked_at = now(),
    lease_until = now() + make_interval(secs => $4::float8), claim_token = $2::uuid
  where ctid = any (array(select ctid from due))
  returning *
)
select order_id, order_id::text as aggregate_key, idempotency_key, broker_key, order_request_json, traceparent, attempts, outcome_unknown, asks, last_error_code, last_error_msg,
  extract(epoch from clock_timestamp() - failed_at)::float8 as failed_seconds,
  extract(epoch from expires_at - clock_timestamp())::float8 as expires_in_seconds,
  extract(epoch from clock_timestamp() - queued_at)::float8 as queued_seconds
from claimed
