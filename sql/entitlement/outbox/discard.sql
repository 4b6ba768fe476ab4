-- An operator deletes a FAILED event; the audit, written in the same statement, keeps its columns.
-- $1 id
-- $2 actor
-- $3 reason
-- returns event_id
with target as materialized (
  select event_id from outbox_events where event_id = $1::uuid and status = 'FAILED' for update
), gone as (
  delete from outbox_events o where event_id = any (array(select event_id from target))
  returning event_id, to_jsonb(o) - array['locked_by', 'locked_at', 'lease_until', 'claim_token'] as was
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, 'outbox.discard', event_id::text, $3, was from gone
)
select event_id from gone
