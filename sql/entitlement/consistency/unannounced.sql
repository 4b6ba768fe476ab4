-- The newest changes in the audit without an event in the outbox that are younger than the retention and were not discarded.
-- $1 retention_seconds: confirmed events are deleted after this
-- $2 scan: how many changes to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select event_id, at from entitlement_audit order by event_id desc limit $2::int
), found as materialized (
  select n.event_id, n.at from newest n
  left join lateral (select true as there from outbox_events o where o.event_id = n.event_id limit 1) o on true  -- limit: index lookups under every plan
  left join lateral (
    select true as there from operator_actions a where a.subject = n.event_id::text and a.action = 'outbox.discard' limit 1) discarded on true
  where o.there is null and discarded.there is null and n.at > now() - make_interval(secs => $1::float8)
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $2::int as more, iso(min(at)) as oldest,
  array(select event_id::text from found order by event_id desc limit 5) as sample
from found
