-- Settles the attempts of a claim: SENT with its position in the user's feed, back to PENDING, or FAILED together with its dead letter.
-- Every attempt is kept, and a trigger sets failed_at after a failed one (see 0010_failed_at.sql). Returns the rows that changed; a missing id lost its lease.
-- First locks the rows that the claim still holds, so that only settled rows get a position. Then locks the counters of the users, in one order for
-- all. A counter stays locked until the commit: so no position appears below one that was visible before.
-- $1 token
-- $2 worker
-- $3 notification_id
-- $4 outcome: sent, retry or dead
-- $5 error?
-- $6 delay_seconds?: before the next attempt
-- $7 duration_ms
-- $8 max_attempts
-- returns notification_id, user_id, status, attempt_count, position?
with result as materialized (
  select * from unnest($3::uuid[], $4::text[], $5::text[], $6::float8[], $7::int[]) with ordinality as r(id, outcome, error, delay, duration_ms, turn)
), held as materialized (
  select x.place, x.holder, r.* from result r, lateral (                  -- limit: index lookups under every plan
    select ctid as place, user_id as holder from notifications where notification_id = r.id and claim_token = $1::uuid limit 1 for update) x
  where x.place = (select ctid from notifications seen where seen.notification_id = r.id)   -- not if it was renewed meanwhile: this statement cannot change it
), counted as (
  insert into inbox_positions as p (user_id, position) select holder, count(*) from held where outcome = 'sent' group by holder order by holder
  on conflict (user_id) do update set position = p.position + excluded.position
  returning new.user_id, coalesce(old.position, 0) as before
), placed as materialized (
  select h.*, before + row_number() over (partition by holder, outcome order by turn) as place_in_feed
  from held h left join counted on user_id = holder and outcome = 'sent'
), settled as (
  update notifications n set
    status = case when outcome = 'sent' then 'SENT' when outcome = 'dead' or attempt_count + 1 >= $8::int then 'FAILED' else 'PENDING' end,
    attempt_count = attempt_count + 1, attempts_made = attempts_made + 1,
    sent_at = case outcome when 'sent' then clock_timestamp() end, position = place_in_feed, last_error = error,
    next_retry_at = now() + make_interval(secs => coalesce(delay, 0)),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  from placed p where n.ctid = p.place
  returning n.notification_id, n.event_id, n.user_id, n.status, n.attempt_count, n.attempts_made, n.position, n.payload, n.failed_at, p.outcome, p.error, p.duration_ms
), attempted as (
  insert into notification_attempts (notification_id, number, worker, started_at, duration_ms, outcome, error)
  select notification_id, attempts_made, $2, now() - make_interval(secs => duration_ms / 1000.0), duration_ms,
    case status when 'FAILED' then 'dead' else outcome end, error from settled        -- the last attempt is dead, whatever the channel answered
), buried as (
  insert into notification_dlq (notification_id, event_id, user_id, reason, attempts, payload, failed_at)
  select notification_id, event_id, user_id, coalesce(error, ''), attempt_count, payload, failed_at from settled where status = 'FAILED'
  on conflict (notification_id) do update
    set reason = excluded.reason, attempts = excluded.attempts, failed_at = excluded.failed_at, requeued_at = null, requeued_by = null, requeue_reason = null
)
select notification_id, user_id, status, attempt_count, position from settled
-- Other commits of the sender may be lost in a crash of the server. This one may not: its positions were visible, and must not be given again.
where (select set_config('synchronous_commit', 'on', true)) is not null
