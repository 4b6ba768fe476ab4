-- How many aborted orders need attention: all but those that their client cancelled, or that expired.
-- $1 most: no count is higher
-- returns count, more
select least(count(*), $1::int)::int as count, count(*) > $1::int as more
from (select from outbox_orders where status = 'aborted' and last_error_code not in ('CANCELLED', 'EXPIRED') order by order_id limit $1::int + 1) a
