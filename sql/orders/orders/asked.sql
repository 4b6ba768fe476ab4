-- Records that an operator asked the broker about an order, and that the answer settled nothing. If the broker has no such order, the outcome is unknown
-- and no sender holds it, the order is due at once: the sender asks again, and then sends it.
-- $1 order_id
-- $2 actor
-- $3 reason
-- $4 answer: executed, rejected, working, unknown_to_broker or no_answer
-- $5 call: the ask, {adapter, outcome, code?, message?, duration_ms}
-- returns order_id, is_due
with asked as (
  update outbox_orders set calls = calls + 1,
    next_attempt_at = case when $4::text = 'unknown_to_broker' and outcome_unknown and status in ('pending', 'failed')
      then least(next_attempt_at, now()) else next_attempt_at end
  where order_id = $1::uuid
  returning order_id, calls, $4::text = 'unknown_to_broker' and outcome_unknown and status in ('pending', 'failed') as is_due
), called as (
  insert into order_attempts (order_id, number, kind, worker, adapter, started_at, duration_ms, outcome, code, message)
  select order_id, calls, 'ask', $2, $5::jsonb ->> 'adapter', clock_timestamp() - make_interval(secs => ($5::jsonb ->> 'duration_ms')::int / 1000.0),
    ($5::jsonb ->> 'duration_ms')::int, $5::jsonb ->> 'outcome', $5::jsonb ->> 'code', $5::jsonb ->> 'message'
  from asked
), audited as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, 'order.ask', order_id::text, $3, jsonb_build_object('broker_says', $4::text) from asked
)
select order_id, is_due from asked
