-- FAILED events by the fingerprint of their error, largest group first: every cause up to $9. The newest $10 events of all groups together are
-- examined, an equal share of each group, and of each group also its first and its last failure.
-- A group has the count 0 if none of its examined events matches. first_at and last_at are times of failure.
-- $1 status?
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?: inclusive
-- $8 created_to?: exclusive
-- $9 limit: one more than is shown
-- $10 scan: the most rows to examine
-- $11 scan_user: the most rows of a user to examine
-- returns fingerprint, count, more, first_at?, last_at?, sample_error?, sample_id?
with recursive reach as materialized (                                    -- ids are v7, so a span of time is a range of ids
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
    from (                                                                -- index-only
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
    offset 0) l                                                           -- a fence: the filter is evaluated once a row
) g
order by count desc, sample_id desc nulls last
