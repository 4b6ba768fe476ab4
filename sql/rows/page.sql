-- The :many that match a filter, newest first. Examines at most $11; the last examined row is
-- returned even if it does not match: the next page starts after it.
-- $1 status?: :retrying are those that failed before and wait
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?: inclusive
-- $8 created_to?: exclusive
-- $9 before_id
-- $10 limit
-- $11 scan: the most rows to examine
-- returns :listed, matches, examined
with reach as materialized (                                              -- ids are v7, so a span of time is a range of ids
  select lowest_id($7::timestamptz) as low, least($9::uuid, highest_id($8::timestamptz)) as high
), looked as (                                                            -- one branch runs; each has an order and a limit: an index range under every plan
  (select * from :table where $3::text is null and $1::text is distinct from :'failed'
     and :id >= (select low from reach) and :id < (select high from reach) order by :id desc limit $11::int)
  union all
  (select * from :table where $3::text is null and $1::text = :'failed' and $5::text is null and status = :'failed'
     and :id >= (select low from reach) and :id < (select high from reach) order by :id desc limit $11::int)
  union all
  (select * from :table where $3::text is null and $1::text = :'failed' and status = :'failed' and :fingerprint = $5::text
     and :id >= (select low from reach) and :id < (select high from reach) order by :id desc limit $11::int)
  union all                                                               -- a user's
  (:page_of_user)
)
select :columns, matches, examined::int
from (select *, row_number() over (order by :id desc) as examined,
    matches_filter($1::text, $2::text, $3::text, $4::text, $5::text, $6::int, $7::timestamptz, $8::timestamptz,
      status, :type, :user, :error, :fingerprint, :attempts, created_at) as matches
  from looked) m
where matches or examined = $11::int
order by m.:id desc limit $10::int
