-- Where a search for expired orders may start: just below the earliest expires_at from $1 on. Never within the last 5 s: transactions that have not
-- committed yet may add rows there. A long transaction keeps the index entries of all settled orders.
-- $1 from
-- returns bound
select least(min(expires_at) - interval '1 millisecond', now() - interval '5 seconds') as bound
from outbox_orders where status in ('pending', 'failed') and expires_at > $1::timestamptz
