-- An operator requeues aborted orders with attempts reset. Their ledger entries are accepted again. Ledger, history and audit change in the same
-- statement. The broker gets a new key. If a person settled the order as failed, it keeps its key and the
-- broker is asked before it is sent. A cancelled or expired order, and one without a failed entry in the ledger, is left as it is.
-- $1 order_id
-- $2 actor
-- $3 reason
-- returns order_id
with target as materialized (
  select order_id from outbox_orders where order_id = any ($1::uuid[]) and order_is_requeueable(status, last_error_code) order by order_id for update
), entered as (
  update idempo_ledger set status = 'accepted', settled_at = null, reason_code = null, reason = null
  where order_id = any (array(select order_id from target)) and status = 'failed' returning order_id
), back as (
  update outbox_orders set status = 'pending', attempts = 0, queued_at = now(), next_attempt_at = now(), settled_at = null,
    outcome_unknown = last_error_code = 'RESOLVED_FAILED', requeues = requeues + (last_error_code <> 'RESOLVED_FAILED')::int
  where order_id = any (array(select order_id from entered)) returning order_id
), recorded as (
  insert into idempo_ledger_history (order_id, actor, from_status, to_status, reason)
  select order_id, $2, 'failed', 'accepted', $3 from back
), noted as (
  insert into operator_actions (actor, action, subject, reason)
  select $2, 'order.requeue', order_id::text, $3 from back
)
select order_id from back
