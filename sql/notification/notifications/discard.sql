-- An operator deletes a FAILED notification with its attempts and its dead letter; the audit, written in the same statement, keeps its columns.
-- $1 id
-- $2 actor
-- $3 reason
-- returns notification_id
with target as materialized (
  select notification_id from notifications where notification_id = $1::uuid and status = 'FAILED' for update
), gone as (
  delete from notifications n where notification_id = any (array(select notification_id from target))
  returning notification_id, to_jsonb(n) - array['locked_by', 'locked_at', 'lease_until', 'claim_token'] || jsonb_build_object(
    'dead', (select to_jsonb(d) - 'payload' from notification_dlq d where d.notification_id = n.notification_id),
    'attempts', (select coalesce(jsonb_agg(to_jsonb(a) - 'notification_id' order by number desc), '[]') from notification_attempts a
                 where a.notification_id = n.notification_id)) as was
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, 'notification.discard', notification_id::text, $3, was from gone
)
select notification_id from gone
