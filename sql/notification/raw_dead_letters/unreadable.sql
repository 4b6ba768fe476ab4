-- Which of these events are raw dead letters with a valid signature that were not reprocessed.
-- $1 event_id
-- returns event_id
select asked.event_id from unnest($1::uuid[]) as asked(event_id), lateral (
  select from notification_nats_dlq d where d.event_id = asked.event_id and d.untrusted is null and d.reprocessed_at is null limit 1) d
