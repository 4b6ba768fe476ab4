-- Where a claim may start to look: just below the oldest pending due time from $1 on, and never within the last 5 s, where transactions
-- that have not committed yet may still put theirs.
-- $1 from
-- returns bound
select least(min(next_retry_at) - interval '1 millisecond', now() - interval '5 seconds') as bound
from outbox_events where status = 'PENDING' and next_retry_at > $1::timestamptz
