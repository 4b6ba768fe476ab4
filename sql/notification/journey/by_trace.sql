-- The newest consumed events of a trace.
-- $1 trace_id
-- $2 limit
-- returns event_id
select event_id from processed_events where trace_id = $1 order by event_id desc limit $2::int
