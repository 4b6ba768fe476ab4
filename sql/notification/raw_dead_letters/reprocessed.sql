-- Marks a raw dead letter as taken in after all, audited in the same statement. Nothing returned: somebody was faster.
-- $1 id
-- $2 actor
-- $3 reason
-- returns id
with marked as (
  update notification_nats_dlq set reprocessed_at = now() where id = $1::uuid and reprocessed_at is null returning id
), noted as (
  insert into operator_actions (actor, action, subject, reason) select $2, 'raw_dead_letter.reprocess', id::text, $3 from marked
)
select id from marked
