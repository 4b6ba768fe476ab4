-- Retrying notifications (PENDING after a failed attempt) that match a filter, the last failure first. Examines at most $10; the last examined row is
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
-- returns notification_id, event_id, user_id, stock_keeping_unit?, type, aggregate_version, stale, channel, status, attempt_count, last_error?, failed_at?, created_at, sent_at?, next_retry_at, position?, read_at?, trace_id, dead?, at, matches, examined
select notification_id, event_id, user_id, payload ->> 'stock_keeping_unit' as stock_keeping_unit, type, aggregate_version, stale, channel, status, attempt_count,
  last_error, iso(failed_at) as failed_at, iso(created_at) as created_at, iso(sent_at) as sent_at, iso(next_retry_at) as next_retry_at, position, iso(read_at) as read_at,
  split_part(traceparent, '-', 2) as trace_id,
  (select jsonb_build_object('failed_at', iso(failed_at), 'requeued_at', iso(requeued_at), 'requeued_by', requeued_by)
   from notification_dlq d where d.notification_id = m.notification_id limit 1) as dead,
  m.failed_at as at, matches, examined::int
from (select *, row_number() over (order by failed_at desc, notification_id desc) as examined,
    matches_filter(null, $1::text, null, $2::text, $3::text, $4::int, $5::timestamptz, $6::timestamptz,
      null, type, null, last_error, error_fingerprint, attempt_count, created_at) as matches
  from (                                                                  -- one branch runs; each has an order and a limit: an index range under every plan
    (select * from notifications where $3::text is null and status = 'PENDING' and attempt_count > 0 and (failed_at, notification_id) < ($7::timestamptz, $8::uuid)
     order by failed_at desc, notification_id desc limit $10::int)
    union all
    (select * from notifications where status = 'PENDING' and attempt_count > 0 and error_fingerprint = $3::text and (failed_at, notification_id) < ($7::timestamptz, $8::uuid)
     order by failed_at desc, notification_id desc limit $10::int)) looked) m
where matches or examined = $10::int
order by m.failed_at desc, m.notification_id desc limit $9::int
