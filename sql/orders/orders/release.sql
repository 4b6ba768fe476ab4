-- Requeues orders of a claim for which no attempt has begun: the worker stops, or nothing may be sent. No attempt is charged.
-- $1 token
-- $2 order_id
-- returns order_id
update outbox_orders set status = 'pending', updated_at = now(), next_attempt_at = now(),
  locked_by = null, locked_at = null, lease_until = null, claim_token = null
where order_id = any ($2::uuid[]) and claim_token = $1::uuid
returning order_id
