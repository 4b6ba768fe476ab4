-- An operator settles an unknown outcome: by the broker's answer or by hand. Changes the order only if its outcome is still unknown and no sender
-- holds it. Ledger, history and audit change in the same statement.
-- $1 order_id
-- $2 actor
-- $3 action: order.ask or order.resolve
-- $4 reason
-- $5 status: succeeded or aborted
-- $6 code?: why it failed
-- $7 message?
-- $8 broker_order_id?
-- $9 broker_answer?
-- $10 call?: the ask, {adapter, outcome, code?, message?, duration_ms}
-- returns order_id, status
with target as materialized (
  select order_id from outbox_orders where order_id = $1::uuid and outcome_unknown and status in ('pending', 'failed') for update
), resolved as (
  update outbox_orders set status = $5, outcome_unknown = false, asks = 0, last_error_code = $6, last_error_msg = $7,
    failed_at = case when $5 = 'succeeded' then failed_at else now() end, settled_at = now(),
    calls = calls + case when $10::jsonb is null then 0 else 1 end
  where order_id = any (array(select order_id from target))
  returning order_id, status, attempts, calls
), called as (
  insert into order_attempts (order_id, number, kind, worker, adapter, started_at, duration_ms, outcome, code, message)
  select order_id, calls, 'ask', $2, $10::jsonb ->> 'adapter', clock_timestamp() - make_interval(secs => ($10::jsonb ->> 'duration_ms')::int / 1000.0),
    ($10::jsonb ->> 'duration_ms')::int, $10::jsonb ->> 'outcome', $10::jsonb ->> 'code', $10::jsonb ->> 'message'
  from resolved where $10::jsonb is not null
), entered as (
  update idempo_ledger l set status = case r.status when 'succeeded' then 'succeeded' else 'failed' end, settled_at = now(), attempts = r.attempts,
    reason_code = $6, reason = $7, broker_order_id = $8, broker_answer = $9::jsonb
  from resolved r where l.order_id = r.order_id and l.status = 'accepted'
  returning l.order_id, l.status
), noted as (
  insert into idempo_ledger_history (order_id, actor, from_status, to_status, reason)
  select order_id, $2, 'accepted', status, $4 from entered
), audited as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, $3, order_id::text, $4, jsonb_strip_nulls(jsonb_build_object('outcome', status, 'code', $6, 'broker_order_id', $8)) from resolved
)
select order_id, status from resolved
