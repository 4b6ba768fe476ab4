-- The last sent notifications with a gap before their position in the user's feed, or beyond the user's newest position. Old notifications are deleted
-- from the beginning of a feed, so missing positions there are no gap.
-- $1 scan: how many notifications to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select notification_id, user_id, position, sent_at from notifications where status = 'SENT' order by sent_at desc limit $1::int
), found as materialized (
  select n.notification_id, n.sent_at from newest n
  left join lateral (
    select position from notifications b where b.user_id = n.user_id and b.position < n.position order by b.position desc limit 1) before on true
  left join lateral (select position from inbox_positions p where p.user_id = n.user_id limit 1) head on true
  where before.position < n.position - 1 or head.position is null or head.position < n.position
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $1::int as more, iso(min(sent_at)) as oldest,
  array(select notification_id::text from found order by sent_at desc limit 5) as sample
from found
