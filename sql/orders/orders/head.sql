-- Where a claim may start to look (bound): just below the oldest due time from $1 on. Never within the last 5 s: transactions that have not
-- committed yet may add rows there. And where a look from $1 on ends (reach); null if it reaches all rows that are due.
-- $1 from
-- $2 look: the orders that one claim looks at
-- returns bound, reach?
select least(min(next_attempt_at) - interval '1 millisecond', now() - interval '5 seconds') as bound,
  (select next_attempt_at from outbox_orders where status in ('pending', 'failed') and next_attempt_at > $1::timestamptz and next_attempt_at <= now()
   order by next_attempt_at offset $2::int limit 1) as reach
from outbox_orders where status in ('pending', 'failed') and next_attempt_at > $1::timestamptz
