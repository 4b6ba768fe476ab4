-- The time from which on the audit is kept ($1 months back, at the start of that month), and whether $2 lies before it or in the future.
-- $1 keep_months
-- $2 as_of
-- returns horizon, too_old, in_future
select iso(horizon) as horizon, $2::timestamptz < horizon as too_old, $2::timestamptz > now() + interval '1 second' as in_future
from (select date_trunc('month', (now() at time zone 'UTC') - make_interval(months => $1::int)) at time zone 'UTC' as horizon) h
