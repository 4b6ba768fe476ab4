-- Aborts orders that are not sent any more: those past expires_at, and, if the broker has been away for so long, those queued longer than $3. If
-- any sender had an order executed in that time, the broker is not away. An order with an unknown outcome is never aborted here. The ledger fails in the same statement.
-- $1 worker
-- $2 limit: of each kind
-- $3 away_seconds?: how long the broker has been away, if waiting orders are aborted for that
-- $4 expiry_from: expiry times up to here are not looked at (an optimisation; see oldest_expiry.sql)
-- returns order_id, idempotency_key, status, attempts, code
with expired as materialized (
  select order_id, 'EXPIRED' as code, 'expires_at passed before the order was sent' as message from outbox_orders
  where status in ('pending', 'failed') and expires_at > $4::timestamptz and expires_at <= now() and not outcome_unknown
  order by expires_at limit $2::int for update skip locked
), waiting as materialized (
  select order_id, 'BROKER_UNAVAILABLE' as code, 'the broker could not be used for longer than all attempts take' as message from outbox_orders
  where status in ('pending', 'failed') and queued_at <= now() - make_interval(secs => $3::float8) and not outcome_unknown
    and (select settled_at from outbox_orders where status = 'succeeded' and settled_at > now() - make_interval(secs => $3::float8) limit 1) is null
  order by queued_at limit $2::int for update skip locked
), target as materialized (
  select distinct on (order_id) order_id, code, message from (select * from expired union all select * from waiting) t order by order_id, code desc
), aborted as (
  update outbox_orders o set status = 'aborted', last_error_code = t.code, last_error_msg = t.message,
    failed_at = now(), settled_at = now()
  from target t where o.order_id = t.order_id
  returning o.order_id, o.idempotency_key, o.status, o.attempts, t.code, t.message
), entered as (
  update idempo_ledger l set status = 'failed', settled_at = now(), attempts = a.attempts, reason_code = a.code, reason = a.message
  from aborted a where l.order_id = a.order_id and l.status = 'accepted'
  returning l.order_id, a.code
), noted as (
  insert into idempo_ledger_history (order_id, actor, from_status, to_status, reason)
  select order_id, $1, 'accepted', 'failed', code from entered
)
select order_id, idempotency_key, status, attempts, code from aborted
