-- An operator requeues FAILED events with attempts reset and a new message id, audited in the same statement.
-- $1 event_id
-- $2 actor
-- $3 reason
-- returns event_id, publish_generation
with target as materialized (
  select event_id from outbox_events where event_id = any ($1::uuid[]) and status = 'FAILED' order by event_id for update
), back as (
  update outbox_events set status = 'PENDING', attempt_count = 0, next_retry_at = now(), publish_generation = publish_generation + 1,
    published_at = null, stream_seq = null, stream_duplicate = null
  where event_id = any (array(select event_id from target)) returning event_id, publish_generation
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, 'outbox.requeue', event_id::text, $3, jsonb_build_object('publish_generation', publish_generation) from back
)
select event_id, publish_generation from back
