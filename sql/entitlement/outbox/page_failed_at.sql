-- FAILED events that match a filter, the last failure first. Examines at most $10; the last examined row is
-- returned even if it does not match: the next page starts after it.
-- $1 type?
-- $2 error?: a part of the last error, in any case
-- $3 fingerprint?: of the last error
-- $4 min_attempts?
-- $5 created_from?: inclusive
-- $6 created_to?: exclusive
-- $7 before_at
-- $8 before_id
-- $9 limit
-- $10 scan: the most rows to examine
-- returns event_id, event_type, user_id, stock_keeping_unit, aggregate_version, status, attempt_count, last_error?, failed_at?, created_at, published_at?, next_retry_at, confirmed_at?, publish_generation, stream_seq?, trace_id, at, matches, examined
select event_id, event_type, payload ->> 'user_id' as user_id, payload ->> 'stock_keeping_unit' as stock_keeping_unit, aggregate_version,
  status, attempt_count, last_error, iso(failed_at) as failed_at, iso(created_at) as created_at, iso(published_at) as published_at, iso(next_retry_at) as next_retry_at,
  iso(confirmed_at) as confirmed_at, publish_generation, stream_seq, split_part(traceparent, '-', 2) as trace_id,
  m.failed_at as at, matches, examined::int
from (select *, row_number() over (order by failed_at desc, event_id desc) as examined,
    matches_filter(null, $1::text, null, $2::text, $3::text, $4::int, $5::timestamptz, $6::timestamptz,
      null, event_type, null, last_error, error_fingerprint, attempt_count, created_at) as matches
  from (                                                                  -- one branch runs; each has an order and a limit: an index range under every plan
    (select * from outbox_events where $3::text is null and status = 'FAILED' and (failed_at, event_id) < ($7::timestamptz, $8::uuid)
     order by failed_at desc, event_id desc limit $10::int)
    union all
    (select * from outbox_events where status = 'FAILED' and error_fingerprint = $3::text and (failed_at, event_id) < ($7::timestamptz, $8::uuid)
     order by failed_at desc, event_id desc limit $10::int)) looked) m
where matches or examined = $10::int
order by m.failed_at desc, m.event_id desc limit $9::int
