-- What operators look for. FAILED rows are few and rest: these cost the way of a notification little.
create index notifications_failed on notifications (notification_id) where status = 'FAILED';
create index notifications_failed_fingerprint on notifications (fingerprint(last_error), notification_id) where status = 'FAILED';

-- The trace of an event, here and not on its notification: this row is written once, that one at every step.
alter table processed_events add column trace_id text;
update processed_events p set trace_id = split_part(n.traceparent, '-', 2) from notifications n where n.event_id = p.event_id;
create index processed_events_trace on processed_events (trace_id, event_id) where trace_id is not null;
