-- Cancels an order that no sender holds and that cannot have reached the broker. Outbox, ledger and history change together. An order that is sent at
-- this moment, settled, or of unknown outcome is left as it is.
-- $1 idempotency_key: in its stored form
-- $2 reason
-- returns order_id, attempts
with cancelled as (
  update outbox_orders
  set status = 'aborted', last_error_code = 'CANCELLED', last_error_msg = $2::text, failed_at = now(), settled_at = now()
  where idempotency_key = $1::text and status in ('pending', 'failed') and not outcome_unknown
  returning order_id, attempts
), settled as (
  update idempo_ledger l set status = 'failed', reason_code = 'CANCELLED', reason = $2::text, attempts = c.attempts, settled_at = now()
  from cancelled c where l.order_id = c.order_id
  returning l.order_id, l.client_id, l.attempts
), recorded as (
  insert into idempo_ledger_history (order_id, actor, from_status, to_status, reason)
  select order_id, client_id, 'accepted', 'failed', 'CANCELLED: ' || $2::text from settled
)
select order_id, attempts from settled
