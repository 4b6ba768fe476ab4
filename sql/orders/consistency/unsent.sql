-- The newest accepted entries of the ledger without an order in the outbox.
-- $1 scan: how many entries to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select order_id, status, accepted_at from idempo_ledger order by order_id desc limit $1::int
), found as materialized (
  select n.order_id, n.accepted_at from newest n
  left join lateral (select true as there from outbox_orders o where o.order_id = n.order_id limit 1) o on true    -- limit: index lookups under every plan
  where n.status = 'accepted' and o.there is null
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $1::int as more, iso(min(accepted_at)) as oldest,
  array(select order_id::text from found order by order_id desc limit 5) as sample
from found
