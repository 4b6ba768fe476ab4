-- The newest dead letters that were not requeued and whose notification is not FAILED.
-- $1 scan: how many dead letters to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select notification_id, failed_at from notification_dlq where requeued_at is null order by notification_id desc limit $1::int
), found as materialized (
  select d.notification_id, d.failed_at from newest d, lateral (
    select status from notifications n where n.notification_id = d.notification_id limit 1) n
  where n.status <> 'FAILED'
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $1::int as more, iso(min(failed_at)) as oldest,
  array(select notification_id::text from found order by notification_id desc limit 5) as sample
from found
