-- How many raw dead letters are not yet reprocessed, by an index-only scan up to a limit.
-- $1 most: no count is higher
-- returns count, more
select least(found, $1::int)::int as count, found > $1::int as more
from (select count(*) as found from (
  select from notification_nats_dlq where reprocessed_at is null order by id desc limit $1::int + 1) o) counted
