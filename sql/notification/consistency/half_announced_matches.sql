-- The last matches that count as announced and do not have two players. The requests of a match have the same time, so only those with the earliest
-- time of the scan may be cut in half by its limit: they are left out.
-- $1 keep_seconds: older requests do not count
-- $2 scan: how many requests to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select match_id, announced_at from announced_joins where announced_at > now() - make_interval(secs => $1::float8)
  order by announced_at desc limit $2::int
), found as materialized (
  select match_id, min(announced_at) as announced_at from newest group by match_id having count(*) <> 2
    and ((select count(*) from newest) < $2::int or min(announced_at) > (select min(announced_at) from newest))
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $2::int as more, iso(min(announced_at)) as oldest,
  array(select match_id::text from found order by announced_at desc limit 5) as sample
from found
