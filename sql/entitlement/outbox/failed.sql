-- FAILED events, newest first.
-- $1 before_id
-- $2 limit
-- returns event_id, event_type, aggregate_key, aggregate_version, attempt_count, last_error?, failed_at, publish_generation, created_at, trace_id
select event_id, event_type, aggregate_key, aggregate_version, attempt_count, last_error, iso(failed_at) as failed_at, publish_generation,
  iso(created_at) as created_at, split_part(traceparent, '-', 2) as trace_id
from outbox_events where status = 'FAILED' and event_id < $1::uuid
order by event_id desc limit $2::int
