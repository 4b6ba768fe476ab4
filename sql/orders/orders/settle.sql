-- Settles a claimed order: its new state, the calls to the broker, and the ledger with its history if the outcome is final. Returns the order if the
-- claim still holds it. An accepted entry of the ledger becomes succeeded or failed together with its order.
-- $1 token
-- $2 worker
-- $3 adapter
-- $4 order_id
-- $5 status: failed (waits for its next attempt), succeeded or aborted
-- $6 attempts: the sends so far
-- $7 outcome_unknown
-- $8 asks: the asks without an answer so far
-- $9 code?: why it failed
-- $10 message?
-- $11 delay_seconds: before the next attempt
-- $12 broker_order_id?
-- $13 broker_answer?
-- $14 calls: array of {kind, outcome, code?, message?, duration_ms, ended_ms: how long ago it ended}
-- returns order_id, status, attempts
with settled as (
  update outbox_orders set status = $5, attempts = $6::int, outcome_unknown = $7::boolean, asks = $8::int,
    last_error_code = $9, last_error_msg = $10, next_attempt_at = now() + make_interval(secs => $11::float8),
    failed_at = case when $5 = 'succeeded' then failed_at else now() end, settled_at = case when $5 in ('succeeded', 'aborted') then now() end,
    calls = calls + jsonb_array_length($14::jsonb),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  where order_id = $4::uuid and claim_token = $1::uuid
  returning order_id, status, attempts, calls
), called as (
  insert into order_attempts (order_id, number, kind, worker, adapter, started_at, duration_ms, outcome, code, message)
  select s.order_id, s.calls - jsonb_array_length($14::jsonb) + c.turn, c.call ->> 'kind', $2, $3,
    clock_timestamp() - make_interval(secs => ((c.call ->> 'duration_ms')::int + (c.call ->> 'ended_ms')::int) / 1000.0),
    (c.call ->> 'duration_ms')::int, c.call ->> 'outcome', c.call ->> 'code', c.call ->> 'message'
  from settled s, jsonb_array_elements($14::jsonb) with ordinality c(call, turn)
), entered as (
  update idempo_ledger l set status = case s.status when 'succeeded' then 'succeeded' else 'failed' end, settled_at = now(), attempts = s.attempts,
    reason_code = $9, reason = $10, broker_order_id = $12, broker_answer = $13::jsonb
  from settled s where l.order_id = s.order_id and s.status in ('succeeded', 'aborted') and l.status = 'accepted'
  returning l.order_id, l.status
), noted as (
  insert into idempo_ledger_history (order_id, actor, from_status, to_status, reason)
  select order_id, $2, 'accepted', status, coalesce($9, 'the broker has the order') from entered
)
select order_id, status, attempts from settled
