-- The newest FAILED notifications without a dead letter, or with one that is marked as requeued.
-- $1 scan: how many notifications to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select notification_id, created_at from notifications where status = 'FAILED' order by notification_id desc limit $1::int
), found as materialized (
  select n.notification_id, n.created_at from newest n
  left join lateral (                                                     -- limit: index lookups under every plan
    select true as there from notification_dlq d where d.notification_id = n.notification_id and d.requeued_at is null limit 1) d on true
  where d.there is null
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $1::int as more, iso(min(created_at)) as oldest,
  array(select notification_id::text from found order by notification_id desc limit 5) as sample
from found
