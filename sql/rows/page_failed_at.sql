-- The :failed :many that match a filter, the last failure first. Examines at most $10; the last examined row is
-- returned even if it does not match: the next page starts after it.
-- $1 type?
-- $2 error?: a part of the last error, in any case
-- $3 fingerprint?: of the last error
-- $4 min_attempts?
-- $5 created_from?: inclusive
-- $6 created_to?: exclusive
-- $7 before_at
-- $8 before_id
-- $9 limit
-- $10 scan: the most rows to examine
-- returns :listed, at, matches, examined
select :columns, m.failed_at as at, matches, examined::int
from (select *, row_number() over (order by failed_at desc, :id desc) as examined,
    matches_filter(null, $1::text, null, $2::text, $3::text, $4::int, $5::timestamptz, $6::timestamptz,
      null, :type, null, :error, :fingerprint, :attempts, created_at) as matches
  from (                                                                  -- one branch runs; each has an order and a limit: an index range under every plan
    (select * from :table where $3::text is null and status = :'failed' and (failed_at, :id) < ($7::timestamptz, $8::uuid)
     order by failed_at desc, :id desc limit $10::int)
    union all
    (select * from :table where status = :'failed' and :fingerprint = $3::text and (failed_at, :id) < ($7::timestamptz, $8::uuid)
     order by failed_at desc, :id desc limit $10::int)) looked) m
where matches or examined = $10::int
order by m.failed_at desc, m.:id desc limit $9::int
