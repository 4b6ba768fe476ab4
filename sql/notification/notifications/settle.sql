-- Settles the attempts of a claim: SENT, back to PENDING, or FAILED together with its dead letter. Every attempt is kept.
-- Returns what really changed; a missing id lost its lease.
-- $1 token
-- $2 worker
-- $3 notification_id
-- $4 outcome: sent, retry or dead
-- $5 error?
-- $6 delay_seconds?: before the next attempt
-- $7 duration_ms
-- $8 max_attempts
-- returns notification_id, status, attempt_count
with result as materialized (
  select * from unnest($3::uuid[], $4::text[], $5::text[], $6::float8[], $7::int[]) as r(id, outcome, error, delay, duration_ms)
), settled as (
  update notifications n set
    status = case when outcome = 'sent' then 'SENT' when outcome = 'dead' or attempt_count + 1 >= $8::int then 'FAILED' else 'PENDING' end,
    attempt_count = attempt_count + 1, attempts_made = attempts_made + 1,
    sent_at = case outcome when 'sent' then clock_timestamp() end, last_error = error,
    next_retry_at = now() + make_interval(secs => coalesce(delay, 0)),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  from result r, lateral (select ctid from notifications x where x.notification_id = r.id limit 1) x     -- limit: index lookups under every plan
  where n.ctid = x.ctid and n.claim_token = $1::uuid
  returning n.notification_id, n.event_id, n.user_id, n.status, n.attempt_count, n.attempts_made, n.payload, r.outcome, r.error, r.duration_ms
), attempted as (
  insert into notification_attempts (notification_id, number, worker, started_at, duration_ms, outcome, error)
  select notification_id, attempts_made, $2, clock_timestamp() - make_interval(secs => duration_ms / 1000.0), duration_ms, outcome, error from settled
), buried as (
  insert into notification_dlq (notification_id, event_id, user_id, reason, attempts, payload)
  select notification_id, event_id, user_id, coalesce(error, ''), attempt_count, payload from settled where status = 'FAILED'
  on conflict (notification_id) do update
    set reason = excluded.reason, attempts = excluded.attempts, failed_at = excluded.failed_at, requeued_at = null, requeued_by = null, requeue_reason = null
)
select notification_id, status, attempt_count from settled
