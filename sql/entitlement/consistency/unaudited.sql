-- The newest events in the outbox without an audit row. Both have the same time, so each lookup reads one partition.
-- $1 scan: how many events to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select event_id, created_at from outbox_events order by event_id desc limit $1::int
), found as materialized (
  select n.event_id, n.created_at from newest n
  left join lateral (                                                     -- limit: index lookups under every plan
    select true as there from entitlement_audit a where a.event_id = n.event_id and a.at = n.created_at limit 1) a on true
  where a.there is null and n.created_at > now() - interval '27 days'     -- the audit is kept for longer than that, whatever is set
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $1::int as more, iso(min(created_at)) as oldest,
  array(select event_id::text from found order by event_id desc limit 5) as sample
from found
