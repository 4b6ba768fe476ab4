-- Where a claim may start to look (bound): just below the oldest pending due time from $1 on. Never within the last 5 s: transactions that have not
-- committed yet may add rows there. And where a look from $1 on ends (reach); null if it reaches all rows that are due.
-- $1 from
-- $2 look: the :many that one claim looks at
-- returns bound, reach?
select least(min(:due) - interval '1 millisecond', now() - interval '5 seconds') as bound,
  (select :due from :table where :claimable and :due > $1::timestamptz and :due <= now()
   order by :due offset $2::int limit 1) as reach
from :table where :claimable and :due > $1::timestamptz
