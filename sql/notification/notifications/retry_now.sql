-- An operator retries a waiting notification at once, audited in the same statement. Attempts go on counting; a notification that is already due keeps its place.
-- $1 id
-- $2 actor
-- $3 reason
-- returns notification_id, attempt_count, next_retry_at
with target as materialized (
  select notification_id from notifications where notification_id = $1::uuid and status = 'PENDING' for update
), hurried as (
  update notifications set next_retry_at = least(next_retry_at, now())
  where notification_id = any (array(select notification_id from target)) returning notification_id, attempt_count, next_retry_at
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, 'notification.retry', notification_id::text, $3, jsonb_build_object('attempt_count', attempt_count) from hurried
)
select notification_id, attempt_count, iso(next_retry_at) as next_retry_at from hurried
