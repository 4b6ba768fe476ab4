-- PENDING notifications that match a filter, in the order in which they are due. Looks at no more than $10 of them; the last of these is
-- returned even if it does not match, so that the next page goes on after it.
-- $1 type?
-- $2 error?: a part of the last error, in any case
-- $3 fingerprint?: of the last error
-- $4 min_attempts?
-- $5 created_from?
-- $6 created_to?: this moment is no longer in it
-- $7 after_at
-- $8 after_notification_id
-- $9 limit
-- $10 scan
-- returns notification_id, event_id, user_id, stock_keeping_unit?, type, aggregate_version, stale, channel, status, attempt_count, last_error?, failed_at?, created_at, sent_at?, next_retry_at, position?, read_at?, trace_id, dead?, at, matches, examined
select notification_id, event_id, user_id, payload ->> 'stock_keeping_unit' as stock_keeping_unit, type, aggregate_version, stale, channel, status, attempt_count,
  last_error, iso(failed_at) as failed_at, iso(created_at) as created_at, iso(sent_at) as sent_at, iso(next_retry_at) as next_retry_at, position, iso(read_at) as read_at,
  split_part(traceparent, '-', 2) as trace_id,
  (select jsonb_build_object('failed_at', iso(failed_at), 'requeued_at', iso(requeued_at), 'requeued_by', requeued_by)
   from notification_dlq d where d.notification_id = m.notification_id limit 1) as dead,
  m.next_retry_at as at, matches, examined::int
from (select *, row_number() over (order by next_retry_at, notification_id) as examined, coalesce(
    ($1::text is null or type = $1::text)
    and ($2::text is null or position(lower($2::text) in lower(last_error)) > 0)
    and ($3::text is null or error_fingerprint = $3::text)
    and ($4::int is null or attempt_count >= $4::int)
    and ($5::timestamptz is null or created_at >= $5::timestamptz)
    and ($6::timestamptz is null or created_at < $6::timestamptz), false) as matches
  from (select * from notifications where status = 'PENDING' and next_retry_at >= $7::timestamptz and (next_retry_at, notification_id) > ($7::timestamptz, $8::uuid)
    order by next_retry_at, notification_id limit $10::int) looked) m
where matches or examined = $10::int
order by m.next_retry_at, m.notification_id limit $9::int
