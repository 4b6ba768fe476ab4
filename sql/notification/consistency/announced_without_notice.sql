-- The last requests to join that count as announced, without the consumed notice.
-- $1 keep_seconds: older ones do not count, or their notice may be deleted
-- $2 scan: how many requests to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select join_id, event_id, announced_at from announced_joins where announced_at > now() - make_interval(secs => $1::float8)
  order by announced_at desc limit $2::int
), found as materialized (
  select n.join_id, n.announced_at from newest n
  left join lateral (select true as there from processed_events e where e.event_id = n.event_id limit 1) e on true  -- limit: index lookups under every plan
  where e.there is null
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $2::int as more, iso(min(announced_at)) as oldest,
  array(select join_id::text from found order by announced_at desc limit 5) as sample
from found
