-- Marks an event as consumed. Returns nothing if it was consumed before. $1 event id.
insert into processed_events (event_id) values ($1) on conflict (event_id) do nothing returning event_id
