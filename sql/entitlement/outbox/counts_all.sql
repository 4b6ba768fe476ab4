-- How many events there are, by status, all at one moment. It reads indexes only, so a backlog costs little: each status has
-- its own. PUBLISHED has none: its count is that of the newest events, or of the UNCONFIRMED ones if they exceed $1.
-- RETRYING are PENDING ones that failed before, so they are in both counts.
-- $1 most: no count is higher
-- $2 scan_all: the most of all events to examine
-- returns status, count, more
with unconfirmed as materialized (                                        -- each has an order and a limit: an index range under every plan
  select count(*) as found from (
    select from outbox_events where status = 'PUBLISHED' and confirmed_at is null order by published_at, event_id limit $1::int + 1) u
), newest as materialized (
  select count(*) as seen, count(*) filter (where status = 'PUBLISHED') as published
  from (select status from outbox_events order by event_id desc limit case when (select found from unconfirmed) > $1::int then 0 else $2::int end) n
)
select status, least(found, $1::int)::int as count, is_cut or found > $1::int as more
from (
  select 'PENDING' as status, false as is_cut, (select count(*) from (
    select from outbox_events where status = 'PENDING' order by next_retry_at limit $1::int + 1) p) as found
  union all
  select 'IN_FLIGHT', false, (select count(*) from (select from outbox_events where status = 'IN_FLIGHT' order by lease_until limit $1::int + 1) i)
  union all
  select 'PUBLISHED', seen >= $2::int, greatest(published, (select found from unconfirmed)) from newest
  union all
  select 'FAILED', false, (select count(*) from (select from outbox_events where status = 'FAILED' order by event_id desc limit $1::int + 1) f)
  union all
  select 'UNCONFIRMED', false, found from unconfirmed
  union all
  select 'RETRYING', false, (select count(*) from (
    select from outbox_events where status = 'PENDING' and attempt_count > 0 order by failed_at limit $1::int + 1) r)) counted
