-- How many :many there are, by status, all at one moment. It reads indexes only, so a backlog costs little: each status has its own. :retrying are
-- those that failed before and wait: if the table stores them as :waiting, they are in both counts.
-- $1 most: no count is higher
-- returns status, count, more
select status, least(found, $1::int)::int as count, found > $1::int as more
from (                                                                    -- each has an order and a limit: an index range under every plan
  select :'waiting' as status, (select count(*) from (
    select from :table where status = :'waiting' order by :due limit $1::int + 1) p) as found
  union all
  select :'held', (select count(*) from (select from :table where status = :'held' order by lease_until limit $1::int + 1) p)
  union all
  select :'done', (select count(*) from (select from :table where status = :'done' order by :done_at desc limit $1::int + 1) s)
  union all
  select :'failed', (select count(*) from (select from :table where status = :'failed' order by :id desc limit $1::int + 1) f)
  union all
  select :'retrying', (select count(*) from (
    select from :table where :is_retrying order by failed_at limit $1::int + 1) r)) counted
