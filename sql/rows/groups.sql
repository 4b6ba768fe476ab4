-- The :failed :many by the fingerprint of their error, largest group first: every cause up to $9. The newest $10 :many of all groups together are
-- examined, an equal share of each group, and of each group also its first and its last failure.
-- A group has the count 0 if none of its examined :many matches. first_at and last_at are times of failure.
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
  :failed_of_user
), step as (                                                              -- from one fingerprint to the next by the index
  select coalesce($5::text, (select :fingerprint from :table where status = :'failed' order by :fingerprint limit 1)) as fingerprint, 1 as n
  where $3::text is null
  union all
  select (select :fingerprint from :table where status = :'failed' and :fingerprint > s.fingerprint order by :fingerprint limit 1), n + 1
  from step s where fingerprint is not null and $5::text is null and n < $9::int
), cause as materialized (
  select fingerprint from step where fingerprint is not null and ($1::text is null or $1::text = :'failed')
  union all
  select distinct :fingerprint from mine where status = :'failed' and :fingerprint is not null and ($5::text is null or :fingerprint = $5::text)
), share as materialized (
  select $10::int / greatest(count(*), 1)::int as rows from cause
)
select fingerprint, count::int as count, more, iso(first_at) as first_at, iso(last_at) as last_at,
  (select :error from :table r where r.:id = sample_id) as sample_error, sample_id
from cause, lateral (
  select count(*) filter (where is_new and matches) as count, coalesce(count(*) filter (where is_new) >= min(bound), false) as more,
    min(failed_at) filter (where matches) as first_at, max(failed_at) filter (where matches) as last_at,
    max(:id::text collate "C") filter (where matches)::uuid as sample_id
  from (
    select *, matches_filter(null, $2::text, null, $4::text, null, $6::int, $7::timestamptz, $8::timestamptz,
      null, :type, null, (select :error from :table r where r.:id = looked.:id), null, :attempts, created_at) as matches
    from (                                                                -- index-only
      (select true as is_new, (select rows from share) as bound, :id, :type, :attempts, created_at, failed_at from :table
       where $3::text is null and status = :'failed' and :fingerprint = fingerprint
         and :id >= (select low from reach) and :id < (select high from reach) order by :id desc limit (select rows from share))
      union all
      (select false, null, :id, :type, :attempts, created_at, failed_at from :table
       where $3::text is null and status = :'failed' and :fingerprint = fingerprint order by failed_at desc limit 1)
      union all
      (select false, null, :id, :type, :attempts, created_at, failed_at from :table
       where $3::text is null and status = :'failed' and :fingerprint = fingerprint order by failed_at limit 1)
      union all
      select true, (select case when count(*) >= $11::int then 0 end from mine), :id, :type, :attempts, created_at, failed_at
      from mine where status = :'failed' and :fingerprint = fingerprint
    ) looked
    offset 0) l                                                           -- a fence: the filter is evaluated once a row
) g
order by count desc, sample_id desc nulls last
