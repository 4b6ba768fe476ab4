-- Removes the mark of events that notification holds after all.
-- $1 event_id
-- $2 asked_at: before notification was asked
-- returns event_id
with target as materialized (
  select event_id from outbox_events where event_id = any ($1::uuid[]) and missing_at < $2::timestamptz order by event_id for update
)
update outbox_events set missing_at = null where event_id = any (array(select event_id from target)) returning event_id
