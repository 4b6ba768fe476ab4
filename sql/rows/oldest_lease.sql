-- Where a search for ended leases may start: just below the oldest lease from $1 on. Never within the last 5 s: transactions that have not committed
-- yet may add rows there. A long transaction keeps the index entries of all settled claims. Also whether a lease has ended; null if nothing is claimed.
-- $1 from
-- returns bound, has_ended?
select least(min(lease_until) - interval '1 millisecond', now() - interval '5 seconds') as bound, min(lease_until) <= now() as has_ended
from :table where status = :'held' and lease_until > $1::timestamptz
