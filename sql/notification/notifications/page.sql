-- Notifications that match a filter, newest first. Looks at no more than $11 of those that an index leads to; the last of them is returned even if
-- it does not match, so that the next page goes on after it.
-- $1 status?
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?
-- $8 created_to?: this moment is no longer in it
-- $9 before_notification_id
-- $10 limit
-- $11 scan
-- returns notification_id, event_id, user_id, type, aggregate_version, stale, channel, status, attempt_count, last_error?, created_at, sent_at?, next_retry_at, position?, read_at?, trace_id, dead?, matches, examined
with reach as materialized (                                              -- ids are v7: a time is a range of them, a minute wider at both ends
  select case when $7::timestamptz is null then '00000000-0000-0000-0000-000000000000'::uuid
      else uuidv7(greatest($7::timestamptz, '1970-01-02Z') - clock_timestamp() - interval '1 minute') end as low,
    least($9::uuid, case when $8::timestamptz is not null
      then uuidv7(greatest($8::timestamptz, '1970-01-02Z') - clock_timestamp() + interval '1 minute') end) as high
), few as materialized (                                                  -- led to by other indexes; too many under way are looked up by id
  (select notification_id from notifications where $1::text = 'PENDING' and $3::text is null and status = 'PENDING' order by next_retry_at limit 10001)
  union all
  (select notification_id from notifications where $1::text = 'PROCESSING' and $3::text is null and status = 'PROCESSING' order by lease_until limit 10001)
), seen as (                                                              -- FAILED ones with what their index holds of them
  select notification_id, type, attempt_count from (                                                  -- an order and a limit each: index ranges under every plan
    (select notification_id, type, attempt_count from notifications where $1::text = 'FAILED' and $3::text is null and $5::text is null and status = 'FAILED'
      and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $11::int)
    union all
    (select notification_id, type, attempt_count from notifications where $1::text = 'FAILED' and $3::text is null and $5::text is not null
      and status = 'FAILED' and error_fingerprint = $5::text
      and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $11::int)
    union all
    (select notification_id, null, null from few where ($3::text is not null or (select count(*) from few) <= 10000)
      and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $11::int)
    union all
    (select notification_id, null, null from notifications where $3::text is null and ($1::text is null or $1::text = 'SENT' or (select count(*) from few) > 10000)
      and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $11::int)
    union all
    (select notification_id, null, null from notifications where user_id = $3::text
      and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $11::int)
  ) c order by notification_id desc limit $11::int
)
select e.notification_id, e.event_id, user_id, e.type, aggregate_version, stale, channel, status, e.attempt_count, last_error,
  iso(e.created_at) as created_at, iso(sent_at) as sent_at, iso(next_retry_at) as next_retry_at, position, iso(read_at) as read_at,
  split_part(traceparent, '-', 2) as trace_id,
  (select jsonb_build_object('failed_at', iso(failed_at), 'requeued_at', iso(requeued_at), 'requeued_by', requeued_by)
   from notification_dlq d where d.notification_id = seen.notification_id limit 1) as dead,
  matches, examined::int
from (select *, row_number() over (order by notification_id desc) as examined from seen) seen,
  lateral (select * from notifications o where o.notification_id = seen.notification_id
    and (seen.type is null or seen.examined = $11::int or ($2::text is null or seen.type = $2::text) and ($6::int is null or seen.attempt_count >= $6::int)) limit 1) e,
  lateral (select coalesce(($1::text is null or status = $1::text) and ($2::text is null or e.type = $2::text)
    and ($3::text is null or user_id = $3::text)
    and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
    and ($5::text is null or error_fingerprint = $5::text)
    and ($6::int is null or e.attempt_count >= $6::int)
    and ($7::timestamptz is null or e.created_at >= $7::timestamptz) and ($8::timestamptz is null or e.created_at < $8::timestamptz), false) as matches) m
where matches or examined = $11::int
order by seen.notification_id desc limit $10::int
