-- One event with all its columns, and the generation of its last requeue by an operator.
-- $1 id
-- returns event_id, event_type, aggregate_key, aggregate_version, user_id, stock_keeping_unit, status, attempt_count, last_error?, failed_at?, publish_generation, created_at, next_retry_at, published_at?, stream_seq?, stream_duplicate?, confirmed_at?, missing_at?, locked_by?, locked_at?, lease_until?, traceparent, trace_id, payload, requeued_generation?
select event_id, event_type, aggregate_key, aggregate_version, payload ->> 'user_id' as user_id, payload ->> 'stock_keeping_unit' as stock_keeping_unit,
  status, attempt_count, last_error, iso(failed_at) as failed_at, publish_generation,
  iso(created_at) as created_at, iso(next_retry_at) as next_retry_at, iso(published_at) as published_at, stream_seq, stream_duplicate,
  iso(confirmed_at) as confirmed_at, iso(missing_at) as missing_at, locked_by, iso(locked_at) as locked_at, iso(lease_until) as lease_until,
  traceparent, split_part(traceparent, '-', 2) as trace_id, payload,
  (select (detail ->> 'publish_generation')::int from operator_actions a
   where a.subject = $1::uuid::text and a.action = 'outbox.requeue' order by action_id desc limit 1) as requeued_generation
from outbox_events where event_id = $1::uuid
