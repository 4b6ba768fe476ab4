-- How many notifications there are, by status, all at one moment. It reads indexes only, so a backlog costs little: each
-- status has its own.
-- RETRYING are PENDING ones that failed before, so they are in both counts.
-- $1 most: no count is higher
-- returns status, count, more
select status, least(found, $1::int)::int as count, found > $1::int as more
from (                                                                    -- each has an order and a limit: an index range under every plan
  select 'PENDING' as status, (select count(*) from (
    select from notifications where status = 'PENDING' order by next_retry_at limit $1::int + 1) p) as found
  union all
  select 'PROCESSING', (select count(*) from (select from notifications where status = 'PROCESSING' order by lease_until limit $1::int + 1) p)
  union all
  select 'SENT', (select count(*) from (select from notifications where status = 'SENT' order by sent_at desc limit $1::int + 1) s)
  union all
  select 'FAILED', (select count(*) from (select from notifications where status = 'FAILED' order by notification_id desc limit $1::int + 1) f)
  union all
  select 'RETRYING', (select count(*) from (
    select from notifications where status = 'PENDING' and attempt_count > 0 order by failed_at limit $1::int + 1) r)) counted
