-- Requeues events of a claim untried: the broker is away, the worker stops, or an earlier event of the aggregate failed. No attempt is charged.
-- $1 token
-- $2 event_id
-- returns event_id
update outbox_events set status = 'PENDING', next_retry_at = now(),
  locked_by = null, locked_at = null, lease_until = null, claim_token = null
where event_id = any ($2::uuid[]) and claim_token = $1::uuid
returning event_id
