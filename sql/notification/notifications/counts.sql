-- How many notifications match a filter, by status, all at one moment. Every walk follows one index and examines a limited number of rows.
-- A walk that reached its limit may have more. If two walks count the same notifications, the one that reached its end counts, otherwise the higher number.
-- $1 status: those to count; RETRYING are PENDING ones that failed before
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?: inclusive
-- $8 created_to?: exclusive
-- $9 most: no count is higher
-- $10 scan: the most rows to fetch by an index of their status
-- $11 scan_all: the most to examine of all notifications, of a user's, or of FAILED ones without a look at their error
-- returns status, count, more
with reach as materialized (                                              -- ids are v7, so a span of time is a range of ids
  select lowest_id($7::timestamptz) as low, highest_id($8::timestamptz) as high
), looked as (                                                            -- each branch has an order and a limit: an index range under every plan
  (select 'PENDING' as walk, status, type, attempt_count, created_at, error_fingerprint, last_error
   from notifications where $3::text is null and 'PENDING' = any ($1::text[]) and status = 'PENDING' order by next_retry_at limit $10::int)
  union all
  (select 'PROCESSING', status, type, attempt_count, created_at, error_fingerprint, last_error
   from notifications where $3::text is null and 'PROCESSING' = any ($1::text[]) and status = 'PROCESSING' order by lease_until limit $10::int)
  union all
  (select 'RETRYING', status, type, attempt_count, created_at, error_fingerprint, last_error
   from notifications where $3::text is null and $5::text is null and 'RETRYING' = any ($1::text[]) and status = 'PENDING' and attempt_count > 0
   order by failed_at limit $10::int)
  union all
  (select 'RETRYING', status, type, attempt_count, created_at, error_fingerprint, last_error
   from notifications where $3::text is null and 'RETRYING' = any ($1::text[]) and status = 'PENDING' and attempt_count > 0 and error_fingerprint = $5::text
   order by failed_at limit $10::int)
  union all                                                               -- FAILED ones by indexes that hold all but their text
  (select 'FAILED', 'FAILED', type, attempt_count, created_at, error_fingerprint,
     case when $4::text is not null then (select last_error from notifications t where t.notification_id = o.notification_id) end
   from notifications o where $3::text is null and $5::text is null and 'FAILED' = any ($1::text[]) and status = 'FAILED'
     and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit case when $4::text is null then $11::int else $10::int end)
  union all
  (select 'FAILED', 'FAILED', type, attempt_count, created_at, error_fingerprint,
     case when $4::text is not null then (select last_error from notifications t where t.notification_id = o.notification_id) end
   from notifications o where $3::text is null and 'FAILED' = any ($1::text[]) and status = 'FAILED' and error_fingerprint = $5::text
     and notification_id >= (select low from reach) and notification_id < (select high from reach) order by notification_id desc limit case when $4::text is null then $11::int else $10::int end)
  union all
  (select 'ALL', status, type, attempt_count, created_at, error_fingerprint, last_error
   from notifications where $3::text is null and notification_id >= (select low from reach) and notification_id < (select high from reach)
   order by notification_id desc limit $11::int)
  union all                                                               -- a user's
  (select 'ALL', status, type, attempt_count, created_at, error_fingerprint, last_error
   from notifications where user_id = $3::text and notification_id >= (select low from reach) and notification_id < (select high from reach)
   order by notification_id desc limit $11::int)
), tally as materialized (
  select walk, status, coalesce(status = 'PENDING' and attempt_count > 0, false) as is_retrying, count(*) as seen, count(*) filter (where
    matches_filter(null, $2::text, null, $4::text, $5::text, $6::int, $7::timestamptz, $8::timestamptz,
      null, type, null, last_error, error_fingerprint, attempt_count, created_at)) as found
  from looked group by walk, status, is_retrying
)
select asked.status, least(found, $9::int)::int as count, is_cut or found > $9::int as more
from unnest($1::text[]) asked(status), lateral (
  select coalesce(sum(seen), 0) >= bound as is_cut,
    coalesce(sum(found) filter (where status = asked.status or asked.status = 'RETRYING' and is_retrying), 0) as found
  from (select 'ALL' as walk, $11::int as bound
    union all select asked.status, case when asked.status = 'FAILED' and $4::text is null then $11::int else $10::int end
    where asked.status <> 'SENT' and $3::text is null) w
    left join tally using (walk)
  group by walk, bound order by is_cut, found desc limit 1) best
