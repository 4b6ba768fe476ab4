-- How many :many match a filter, by status, all at one moment. Every walk follows one index and examines a limited number of rows.
-- A walk that reached its limit may have more. If two walks count the same :many, the one that reached its end counts, otherwise the higher number.
-- $1 status: those to count; :retrying are those that failed before and wait
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?: inclusive
-- $8 created_to?: exclusive
-- $9 most: no count is higher
-- $10 scan: the most rows to fetch by an index of their status
-- $11 scan_all: the most to examine of all :many, of a user's, or of :failed ones without a look at their error
-- returns status, count, more
with reach as materialized (                                              -- ids are v7, so a span of time is a range of ids
  select lowest_id($7::timestamptz) as low, highest_id($8::timestamptz) as high
), looked as (                                                            -- each branch has an order and a limit: an index range under every plan
  (select :'waiting' as walk, status, :type, :attempts, created_at, :fingerprint, :error
   from :table where $3::text is null and :'waiting' = any ($1::text[]) and status = :'waiting' order by :due limit $10::int)
  union all
  (select :'held', status, :type, :attempts, created_at, :fingerprint, :error
   from :table where $3::text is null and :'held' = any ($1::text[]) and status = :'held' order by lease_until limit $10::int)
  union all
  (select :'retrying', status, :type, :attempts, created_at, :fingerprint, :error
   from :table where $3::text is null and $5::text is null and :'retrying' = any ($1::text[]) and :is_retrying
   order by failed_at limit $10::int)
  union all
  (select :'retrying', status, :type, :attempts, created_at, :fingerprint, :error
   from :table where $3::text is null and :'retrying' = any ($1::text[]) and :is_retrying and :fingerprint = $5::text
   order by failed_at limit $10::int)
  union all                                                               -- failed ones by indexes that hold all but their text
  (select :'failed', :'failed', :type, :attempts, created_at, :fingerprint,
     case when $4::text is not null then (select :error from :table t where t.:id = r.:id) end
   from :table r where $3::text is null and $5::text is null and :'failed' = any ($1::text[]) and status = :'failed'
     and :id >= (select low from reach) and :id < (select high from reach) order by :id desc limit case when $4::text is null then $11::int else $10::int end)
  union all
  (select :'failed', :'failed', :type, :attempts, created_at, :fingerprint,
     case when $4::text is not null then (select :error from :table t where t.:id = r.:id) end
   from :table r where $3::text is null and :'failed' = any ($1::text[]) and status = :'failed' and :fingerprint = $5::text
     and :id >= (select low from reach) and :id < (select high from reach) order by :id desc limit case when $4::text is null then $11::int else $10::int end)
  union all
  (select 'ALL', status, :type, :attempts, created_at, :fingerprint, :error
   from :table where $3::text is null and :id >= (select low from reach) and :id < (select high from reach)
   order by :id desc limit $11::int)
  union all                                                               -- a user's
  (select 'ALL', status, :type, :attempts, created_at, :fingerprint, :error
   from :table where :user = $3::text and :id >= (select low from reach) and :id < (select high from reach)
   order by :id desc limit $11::int)
), tally as materialized (
  select walk, status, coalesce(:is_retrying, false) as is_retrying, count(*) as seen, count(*) filter (where
    matches_filter(null, $2::text, null, $4::text, $5::text, $6::int, $7::timestamptz, $8::timestamptz,
      null, :type, null, :error, :fingerprint, :attempts, created_at)) as found
  from looked group by walk, status, is_retrying
)
select asked.status, least(found, $9::int)::int as count, is_cut or found > $9::int as more
from unnest($1::text[]) asked(status), lateral (
  select coalesce(sum(seen), 0) >= bound as is_cut,
    coalesce(sum(found) filter (where status = asked.status or asked.status = :'retrying' and is_retrying), 0) as found
  from (select 'ALL' as walk, $11::int as bound
    union all select asked.status, case when asked.status = :'failed' and $4::text is null then $11::int else $10::int end
    where asked.status <> :'done' and $3::text is null) w
    left join tally using (walk)
  group by walk, bound order by is_cut, found desc limit 1) best
