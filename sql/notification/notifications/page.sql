-- Notifications that match a filter, newest first. Examines at most $11; the last examined row is
-- returned even if it does not match: the next page starts after it.
-- $1 status?: RETRYING are PENDING ones that failed before
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?: inclusive
-- $8 created_to?: exclusive
-- $9 before_id
-- $10 limit
-- $11 scan: the most rows to examine
-- returns notification_id, event_id, user_id, stock_keeping_unit?, type, aggregate_version, stale, channel, status, attempt_count, last_error?, failed_at?, created_at, sent_at?, next_retry_at, position?, read_at?, trace_id, dead?, matches, examined
with reach as materialized (                                              -- ids are v7, so a span of time is a range of ids
  select lowest_id($7::timestamptz) as low, least($9::uuid, highest_id($8::timestamptz)) as high
), looked as (                                                            -- one branch runs; each has an order and a limit: an index range under every plan
  (select * from notifications where $3::text is null and $1::text is distinct from 'FAILED'
     and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $11::int)
  union all
  (select * from notifications where $3::text is null and $1::text = 'FAILED' and $5::text is null and status = 'FAILED'
     and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $11::int)
  union all
  (select * from notifications where $3::text is null and $1::text = 'FAILED' and status = 'FAILED' and error_fingerprint = $5::text
     and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $11::int)
  union all
  (select * from notifications where user_id = $3::text and notification_id >= (select low from reach) and notification_id < (select high from reach)
   order by notification_id desc limit $11::int)
)
select notification_id, event_id, user_id, payload ->> 'stock_keeping_unit' as stock_keeping_unit, type, aggregate_version, stale, channel, status, attempt_count,
  last_error, iso(failed_at) as failed_at, iso(created_at) as created_at, iso(sent_at) as sent_at, iso(next_retry_at) as next_retry_at, position, iso(read_at) as read_at,
  split_part(traceparent, '-', 2) as trace_id,
  (select jsonb_build_object('failed_at', iso(failed_at), 'requeued_at', iso(requeued_at), 'requeued_by', requeued_by)
   from notification_dlq d where d.notification_id = m.notification_id limit 1) as dead, matches, examined::int
from (select *, row_number() over (order by notification_id desc) as examined,
    matches_filter($1::text, $2::text, $3::text, $4::text, $5::text, $6::int, $7::timestamptz, $8::timestamptz,
      status, type, user_id, last_error, error_fingerprint, attempt_count, created_at) as matches
  from looked) m
where matches or examined = $11::int
order by m.notification_id desc limit $10::int
