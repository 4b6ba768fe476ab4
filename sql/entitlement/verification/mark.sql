-- Marks confirmed events that notification lacks. Those that were confirmed after the question, and those so old that notification may have deleted
-- their ids, are not marked.
-- $1 event_id
-- $2 asked_at: before notification was asked
-- returns event_id
with target as materialized (
  select event_id from outbox_events
  where event_id = any ($1::uuid[]) and confirmed_at < $2::timestamptz and missing_at is null and created_at > (select notification_remembers_after())
  order by event_id for update
)
update outbox_events set missing_at = clock_timestamp() where event_id = any (array(select event_id from target)) returning event_id
