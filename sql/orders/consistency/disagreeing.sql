-- The newest orders whose state does not belong to the state of their entry in the ledger, or that have no entry.
-- $1 scan: how many orders to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select order_id, status, created_at from outbox_orders order by order_id desc limit $1::int
), found as materialized (
  select n.order_id, n.created_at from newest n
  left join lateral (select status from idempo_ledger l where l.order_id = n.order_id limit 1) l on true    -- limit: index lookups under every plan
  where l.status is distinct from case n.status when 'succeeded' then 'succeeded' when 'aborted' then 'failed' else 'accepted' end
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $1::int as more, iso(min(created_at)) as oldest,
  array(select order_id::text from found order by order_id desc limit 5) as sample
from found
