-- Where a search for leases that ran out may start: just below the oldest one from $1 on, and never within the last 5 s, where transactions that
-- have not committed yet may still put theirs. While a long transaction runs, the index keeps the entries of all claims that were settled.
-- $1 from
-- returns bound
select least(min(lease_until) - interval '1 millisecond', now() - interval '5 seconds') as bound
from notifications where status = 'PROCESSING' and lease_until > $1::timestamptz
