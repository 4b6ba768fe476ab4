-- How many orders need attention: aborted ones, except those that their client cancelled, that expired or that a person settled by hand; and orders with
-- an unknown outcome.
-- $1 most: no count is higher
-- returns count, more, unknown_count, unknown_more
select least(a.found, $1::int)::int as count, a.found > $1::int as more, least(u.found, $1::int)::int as unknown_count, u.found > $1::int as unknown_more
from (select count(*) as found from (
    select from outbox_orders where status = 'aborted' and last_error_code not in ('CANCELLED', 'EXPIRED', 'RESOLVED_FAILED')
    order by order_id limit $1::int + 1) aborted) a,
  (select count(*) as found from (select from outbox_orders where outcome_unknown order by order_id limit $1::int + 1) unknown) u
