-- Published events of an age that notification is not known to hold, oldest first; counted up to a limit.
-- $1 older_than_seconds
-- $2 younger_than_seconds?
-- $3 most
-- returns count, more, oldest?, sample
with found as materialized (
  select event_id, published_at from outbox_events
  where status = 'PUBLISHED' and confirmed_at is null
    and published_at <= now() - make_interval(secs => $1::float8)
    and published_at > coalesce(now() - make_interval(secs => $2::float8), '-infinity')
  order by published_at, event_id limit $3::int + 1
)
select least(count(*), $3::int)::int as count, count(*) > $3::int as more, iso(min(published_at)) as oldest,
  array(select event_id::text from found order by published_at, event_id limit 5) as sample
from found
