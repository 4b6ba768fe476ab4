-- Requeues notifications of a claim untried: the worker stops, or an earlier one of the aggregate failed. No attempt is charged.
-- $1 token
-- $2 notification_id
-- returns notification_id
update notifications set status = 'PENDING', next_retry_at = now(),
  locked_by = null, locked_at = null, lease_until = null, claim_token = null
where notification_id = any ($2::uuid[]) and claim_token = $1::uuid
returning notification_id
