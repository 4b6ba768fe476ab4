-- How many aborted orders need attention: all but those that their client cancelled, or that expired. And how many outcomes are unknown.
-- $1 most: no count is higher
-- returns count, more, unknown_count, unknown_more
select least(a.many, $1::int)::int as count, a.many > $1::int as more, least(u.many, $1::int)::int as unknown_count, u.many > $1::int as unknown_more
from (select count(*) as many from (
    select from outbox_orders where status = 'aborted' and last_error_code not in ('CANCELLED', 'EXPIRED') order by order_id limit $1::int + 1) r) a,
  (select count(*) as many from (select from outbox_orders where outcome_unknown order by order_id limit $1::int + 1) r) u
