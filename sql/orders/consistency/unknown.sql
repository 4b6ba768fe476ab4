-- Orders with an unknown outcome, and since when the longest is unknown; counted up to a limit.
-- $1 most
-- returns count, more, oldest?, sample
with found as materialized (
  select order_id, coalesce(unknown_since, queued_at) as since from outbox_orders where outcome_unknown order by order_id limit $1::int + 1
)
select least(count(*), $1::int)::int as count, count(*) > $1::int as more, iso(min(since)) as oldest,
  array(select order_id::text from found order by order_id limit 5) as sample
from found
