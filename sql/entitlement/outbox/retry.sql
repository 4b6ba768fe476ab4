-- Settles the failed publishes of a claim: PENDING again, or FAILED if no attempt is left or another attempt makes no sense. A trigger sets failed_at
-- (see 0012_failed_at.sql).
-- $1 token
-- $2 event_id
-- $3 delay_seconds?: null = give up now
-- $4 error
-- $5 max_attempts
-- returns event_id, status, attempt_count
update outbox_events set
  status = case when attempt_count + 1 >= $5::int or ($3::float8[])[array_position($2::uuid[], event_id)] is null then 'FAILED' else 'PENDING' end,
  attempt_count = attempt_count + 1,
  last_error = ($4::text[])[array_position($2::uuid[], event_id)],
  next_retry_at = now() + make_interval(secs => coalesce(($3::float8[])[array_position($2::uuid[], event_id)], 0)),
  locked_by = null, locked_at = null, lease_until = null, claim_token = null
where event_id = any ($2::uuid[]) and claim_token = $1::uuid
returning event_id, status, attempt_count
