-- The moment before which the audit no longer answers, $1 months back to the start of that month, and whether a time lies before it or ahead of now.
-- $1 keep_months
-- $2 as_of
-- returns horizon, too_old, in_future
select iso(horizon) as horizon, $2::timestamptz < horizon as too_old, $2::timestamptz > now() + interval '1 second' as in_future
from (select date_trunc('month', (now() at time zone 'UTC') - make_interval(months => $1::int)) at time zone 'UTC' as horizon) h
