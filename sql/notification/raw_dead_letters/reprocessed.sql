-- Marks a raw dead letter as consumed, audited in the same statement. The audit is written even if the letter was discarded meanwhile, because its
-- event is consumed. Returns no row if another request was faster.
-- $1 id
-- $2 actor
-- $3 reason
-- returns id
with marked as (
  update notification_nats_dlq set reprocessed_at = now() where id = $1::uuid and reprocessed_at is null returning id
), noted as (
  insert into operator_actions (actor, action, subject, reason) select $2, 'raw_dead_letter.reprocess', $1::uuid::text, $3
  where exists (select from marked) or not exists (select from notification_nats_dlq where id = $1::uuid)
)
select id from marked
