-- Retrying :many (they failed before and wait) by the fingerprint of their error, largest group first: every cause up to $8. The last $9 failures
-- of all groups together are examined, an equal share of each group, and of each group also its first failure.
-- A group has the count 0 if none of its examined :many matches.
-- $1 type?
-- $2 user_id?
-- $3 error?: a part of the last error, in any case
-- $4 fingerprint?: of the last error
-- $5 min_attempts?
-- $6 created_from?: inclusive
-- $7 created_to?: exclusive
-- $8 limit: one more than is shown
-- $9 scan: the most rows to examine
-- $10 scan_user: the most rows of a user to examine
-- returns fingerprint, count, more, first_at?, last_at?, next_at?, sample_error?, sample_id?
with recursive mine as materialized (                                     -- a user's
  :retrying_of_user
), step as (                                                              -- from one fingerprint to the next by the index
  select coalesce($4::text, (select :fingerprint from :table where :is_retrying order by :fingerprint limit 1)) as fingerprint, 1 as n
  where $2::text is null
  union all
  select (select :fingerprint from :table where :is_retrying and :fingerprint > s.fingerprint order by :fingerprint limit 1), n + 1
  from step s where fingerprint is not null and $4::text is null and n < $8::int
), cause as materialized (
  select fingerprint from step where fingerprint is not null
  union all
  select distinct :fingerprint from mine where :fingerprint is not null and ($4::text is null or :fingerprint = $4::text)
), share as materialized (
  select $9::int / greatest(count(*), 1)::int as rows from cause
)
select fingerprint, count::int as count, more, iso(first_at) as first_at, iso(last_at) as last_at, iso(next_at) as next_at,
  (select :error from :table r where r.:id = sample_id) as sample_error, sample_id
from cause, lateral (
  select count(*) filter (where is_new and matches) as count, coalesce(count(*) filter (where is_new) >= min(bound), false) as more,
    min(failed_at) filter (where matches) as first_at, max(failed_at) filter (where matches) as last_at, min(:due) filter (where matches) as next_at,
    max(:id::text collate "C") filter (where matches)::uuid as sample_id
  from (
    select *, matches_filter(null, $1::text, null, $3::text, null, $5::int, $6::timestamptz, $7::timestamptz,
      null, :type, null, (select :error from :table r where r.:id = looked.:id), null, :attempts, created_at) as matches
    from (                                                                -- index-only
      (select true as is_new, (select rows from share) as bound, :id, :type, :attempts, created_at, failed_at, :due from :table
       where $2::text is null and :is_retrying and :fingerprint = fingerprint
       order by failed_at desc limit (select rows from share))
      union all
      (select false, null, :id, :type, :attempts, created_at, failed_at, :due from :table
       where $2::text is null and :is_retrying and :fingerprint = fingerprint order by failed_at limit 1)
      union all
      select true, null, :id, :type, :attempts, created_at, failed_at, :due from mine where :fingerprint = fingerprint
    ) looked
    offset 0) l                                                           -- a fence: the filter is evaluated once a row
) g
order by count desc, sample_id desc nulls last
