-- Orders whose lease ran out and that were not reclaimed; counted up to a limit.
-- $1 most
-- returns count, more, oldest?, sample
with found as materialized (
  select order_id, lease_until from outbox_orders where status = 'sending' and lease_until < now()
  order by lease_until limit $1::int + 1
)
select least(count(*), $1::int)::int as count, count(*) > $1::int as more, iso(min(lease_until)) as oldest,
  array(select order_id::text from found order by lease_until limit 5) as sample
from found
