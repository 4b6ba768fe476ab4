-- An operator retries a waiting event at once, audited in the same statement. Attempts go on counting; an event that is already due keeps its place.
-- $1 id
-- $2 actor
-- $3 reason
-- returns event_id, attempt_count, next_retry_at
with target as materialized (
  select event_id from outbox_events where event_id = $1::uuid and status = 'PENDING' for update
), hurried as (
  update outbox_events set next_retry_at = least(next_retry_at, now())
  where event_id = any (array(select event_id from target)) returning event_id, attempt_count, next_retry_at
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, 'outbox.retry', event_id::text, $3, jsonb_build_object('attempt_count', attempt_count) from hurried
)
select event_id, attempt_count, iso(next_retry_at) as next_retry_at from hurried
