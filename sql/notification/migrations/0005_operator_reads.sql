-- What operators look for. FAILED rows are few and rest: these cost the way of a notification little.
create index notifications_failed on notifications (notification_id) where status = 'FAILED';
create index notifications_failed_fingerprint on notifications (fingerprint(last_error), notification_id) where status = 'FAILED';

-- The trace of an event, here and not on its notification: this row is written once, that one at every step. Rows from before have
-- none, so that this does not hold up the intake; they are found by their event.
alter table processed_events add column trace_id text;
create index processed_events_trace on processed_events (trace_id, event_id) where trace_id is not null;
