-- The newest entries of the ledger whose last recorded change does not lead to their state.
-- $1 scan: how many entries to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select order_id, status, accepted_at from idempo_ledger order by order_id desc limit $1::int
), found as materialized (
  select n.order_id, n.accepted_at from newest n
  left join lateral (select to_status from idempo_ledger_history h where h.order_id = n.order_id order by entry_id desc limit 1) h on true
  where h.to_status is distinct from n.status
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $1::int as more, iso(min(accepted_at)) as oldest,
  array(select order_id::text from found order by order_id desc limit 5) as sample
from found
