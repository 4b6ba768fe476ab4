-- Confirmed events that notification lacks, oldest first; counted up to a limit.
-- $1 most
-- returns count, more, oldest?, sample
with found as materialized (
  select event_id, created_at from outbox_events where missing_at is not null order by event_id limit $1::int + 1
)
select least(count(*), $1::int)::int as count, count(*) > $1::int as more, iso(min(created_at)) as oldest,
  array(select event_id::text from found order by event_id limit 5) as sample
from found
