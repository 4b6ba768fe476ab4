-- FAILED events by the fingerprint of their error, largest group first, among the newest $10 that failed.
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
-- returns fingerprint, count, first_at, last_at, sample_error, sample_id, more
with reach as materialized (                                              -- ids are v7: a time is a range of them, a minute wider at both ends
  select case when $7::timestamptz is null then '00000000-0000-0000-0000-000000000000'::uuid
      else uuidv7(greatest($7::timestamptz, '1970-01-02Z') - clock_timestamp() - interval '1 minute') end as low,
    least('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, case when $8::timestamptz is not null
      then uuidv7(greatest($8::timestamptz, '1970-01-02Z') - clock_timestamp() + interval '1 minute') end) as high
), newest as materialized (
  select event_id from outbox_events where status = 'FAILED' and event_id >= (select low from reach) and event_id < (select high from reach)
  order by event_id desc limit $10::int
), failed as materialized (
  select e.event_id, created_at, last_error, fingerprint(last_error) as fingerprint
  from newest, lateral (select * from outbox_events o where o.event_id = newest.event_id limit 1) e
  where ($1::text is null or status = $1::text) and ($2::text is null or event_type = $2::text)
    and ($3::text is null or payload ->> 'user_id' = $3::text)
    and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
    and ($5::text is null or fingerprint(last_error) = $5::text)
    and ($6::int is null or attempt_count >= $6::int)
    and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz)
    and last_error is not null
)
select fingerprint, count(*)::int as count, iso(min(created_at)) as first_at, iso(max(created_at)) as last_at,
  (array_agg(last_error order by event_id desc))[1] as sample_error, (array_agg(event_id order by event_id desc))[1] as sample_id,
  (select count(*) from newest) >= $10::int as more
from failed group by fingerprint order by count(*) desc, fingerprint limit $9::int
