-- FAILED notifications by the fingerprint of their error, largest group first, among the newest $10 that failed, or the newest $11 if their text is looked at.
-- $1 status?
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?
-- $8 created_to?: this moment is no longer in it
-- $9 limit
-- $10 scan
-- $11 sparse_scan
-- returns fingerprint, count, first_at, last_at, sample_error, sample_id, more
with reach as materialized (                                              -- ids are v7: a time is a range of them, a minute wider at both ends
  select case when $7::timestamptz is null then '00000000-0000-0000-0000-000000000000'::uuid
      else uuidv7(greatest($7::timestamptz, '1970-01-02Z') - clock_timestamp() - interval '1 minute') end as low,
    least('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, case when $8::timestamptz is not null
      then uuidv7(greatest($8::timestamptz, '1970-01-02Z') - clock_timestamp() + interval '1 minute') end) as high
), newest as materialized (                                             -- by indexes that hold all but their text
  (select notification_id, error_fingerprint, type, attempt_count, created_at from notifications where $3::text is null and $5::text is null and status = 'FAILED'
    and notification_id >= (select low from reach) and notification_id < (select high from reach)
   order by notification_id desc limit case when $4::text is null then $10::int else $11::int end)
  union all
  (select notification_id, error_fingerprint, type, attempt_count, created_at from notifications where $3::text is null and $5::text is not null and status = 'FAILED'
    and error_fingerprint = $5::text and notification_id >= (select low from reach) and notification_id < (select high from reach)
   order by notification_id desc limit case when $4::text is null then $10::int else $11::int end)
  union all
  (select notification_id, error_fingerprint, type, attempt_count, created_at from (
    select * from notifications where user_id = $3::text and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit $10::int) mine where status = 'FAILED')
), grouped as materialized (
  select error_fingerprint, count(*)::int as count, min(created_at) as first_at, max(created_at) as last_at, max(notification_id::text)::uuid as sample_id
  from newest n
  where error_fingerprint is not null and ($1::text is null or $1::text = 'FAILED') and ($5::text is null or error_fingerprint = $5::text)
    and ($2::text is null or type = $2::text) and ($6::int is null or attempt_count >= $6::int)
    and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz)
    and (coalesce($3, $4)::text is null or exists (select from (select * from notifications o where o.notification_id = n.notification_id limit 1) e
      where ($3::text is null or user_id = $3::text) and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)))
  group by error_fingerprint order by count(*) desc, error_fingerprint limit $9::int
)
select error_fingerprint as fingerprint, count, iso(first_at) as first_at, iso(last_at) as last_at,
  (select last_error from notifications o where o.notification_id = g.sample_id) as sample_error, sample_id,
  (select count(*) from newest) >= case when $4::text is null then $10::int else $11::int end as more
from grouped g order by count desc, error_fingerprint
