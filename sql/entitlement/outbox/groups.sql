-- FAILED events by the fingerprint of their error, largest group first: every cause, however many failed, up to $9. Of all groups together
-- the newest $10 are looked at, each has its share, and of each the first that failed and the last.
-- A group of which none that was looked at matches has the count 0. first_at and last_at are times of failure.
-- $1 status?
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?
-- $8 created_to?: this moment is no longer in it
-- $9 limit: one more says that there are more
-- $10 scan
-- $11 scan_user: of a user's, the most to look at
-- returns fingerprint, count, more, first_at?, last_at?, sample_error?, sample_id?
with recursive reach as materialized (                                    -- ids are v7: a time is a range of them, a minute wider at both ends
  select lowest_id($7::timestamptz) as low, highest_id($8::timestamptz) as high
), mine as materialized (                                                 -- a user's
  select event_id, status, error_fingerprint, event_type, attempt_count, created_at, failed_at from outbox_events where status = 'FAILED'
    and aggregate_key collate "C" >= $3::text || ':' and aggregate_key collate "C" < $3::text || ';' and payload ->> 'user_id' = $3::text limit $11::int
), step as (                                                              -- from one fingerprint to the next by the index
  select coalesce($5::text, (select error_fingerprint from outbox_events where status = 'FAILED' order by error_fingerprint limit 1)) as fingerprint, 1 as n
  where $3::text is null
  union all
  select (select error_fingerprint from outbox_events where status = 'FAILED' and error_fingerprint > s.fingerprint order by error_fingerprint limit 1), n + 1
  from step s where fingerprint is not null and $5::text is null and n < $9::int
), cause as materialized (
  select fingerprint from step where fingerprint is not null and ($1::text is null or $1::text = 'FAILED')
  union all
  select distinct error_fingerprint from mine where status = 'FAILED' and error_fingerprint is not null and ($5::text is null or error_fingerprint = $5::text)
), share as materialized (
  select $10::int / greatest(count(*), 1)::int as rows from cause
)
select fingerprint, count::int as count, more, iso(first_at) as first_at, iso(last_at) as last_at,
  (select last_error from outbox_events o where o.event_id = sample_id) as sample_error, sample_id
from cause, lateral (
  select count(*) filter (where is_new and matches) as count, coalesce(count(*) filter (where is_new) >= min(bound), false) as more,
    min(failed_at) filter (where matches) as first_at, max(failed_at) filter (where matches) as last_at,
    max(event_id::text collate "C") filter (where matches)::uuid as sample_id
  from (
    select *, matches_filter(null, $2::text, null, $4::text, null, $6::int, $7::timestamptz, $8::timestamptz,
      null, event_type, null, (select last_error from outbox_events o where o.event_id = looked.event_id), null, attempt_count, created_at) as matches
    from (                                                                -- by the index alone
      (select true as is_new, (select rows from share) as bound, event_id, event_type, attempt_count, created_at, failed_at from outbox_events
       where $3::text is null and status = 'FAILED' and error_fingerprint = fingerprint
         and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit (select rows from share))
      union all
      (select false, null, event_id, event_type, attempt_count, created_at, failed_at from outbox_events
       where $3::text is null and status = 'FAILED' and error_fingerprint = fingerprint order by failed_at desc limit 1)
      union all
      (select false, null, event_id, event_type, attempt_count, created_at, failed_at from outbox_events
       where $3::text is null and status = 'FAILED' and error_fingerprint = fingerprint order by failed_at limit 1)
      union all
      select true, (select case when count(*) >= $11::int then 0 end from mine), event_id, event_type, attempt_count, created_at, failed_at
      from mine where status = 'FAILED' and error_fingerprint = fingerprint
    ) looked
    offset 0) l                                                           -- so that the filter is worked out once
) g
order by count desc, sample_id desc nulls last
