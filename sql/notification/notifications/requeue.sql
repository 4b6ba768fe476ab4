-- An operator requeues FAILED notifications with attempts reset; the dead letter stays and names the operator. Audited in the same statement.
-- $1 notification_id
-- $2 actor
-- $3 reason
-- returns notification_id
with target as materialized (
  select notification_id from notifications where notification_id = any ($1::uuid[]) and status = 'FAILED' order by notification_id for update
), back as (
  update notifications set status = 'PENDING', attempt_count = 0, next_retry_at = now()
  where notification_id = any (array(select notification_id from target)) returning notification_id
), marked as (
  update notification_dlq set requeued_at = now(), requeued_by = $2, requeue_reason = $3
  where notification_id = any (array(select notification_id from back))
), noted as (
  insert into operator_actions (actor, action, subject, reason)
  select $2, 'notification.requeue', notification_id::text, $3 from back
)
select notification_id from back
