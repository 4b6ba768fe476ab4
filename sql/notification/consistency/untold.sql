-- The last consumed events without a notification that are younger than the retention and were not discarded.
-- $1 retention_seconds: sent notifications are deleted after this
-- $2 scan: how many events to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select event_id, processed_at from processed_events order by processed_at desc limit $2::int
), discarded as materialized (                                            -- an action's id is as old as the action
  select detail ->> 'event_id' as event_id from operator_actions
  where action_id > uuidv7((select min(processed_at) from newest) - clock_timestamp() - interval '1 minute') and action = 'notification.discard'
  order by action_id desc limit 10000                                     -- a bulk of this size was let through by an ADMIN
), found as materialized (
  select n.event_id, n.processed_at from newest n
  left join lateral (select true as there from notifications t where t.event_id = n.event_id limit 1) t on true  -- limit: index lookups under every plan
  where t.there is null and n.processed_at > now() - make_interval(secs => $1::float8)
    and n.event_id::text not in (select event_id from discarded where event_id is not null)
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $2::int as more, iso(min(processed_at)) as oldest,
  array(select event_id::text from found order by processed_at desc limit 5) as sample
from found
