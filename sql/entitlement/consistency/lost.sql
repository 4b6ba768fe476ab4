-- Events published before the stream was found to have lost messages, neither confirmed nor published again; counted up to a limit.
-- $1 stream
-- $2 most
-- returns count, more, oldest?, sample
with found as materialized (
  select event_id, published_at from outbox_events
  where status = 'PUBLISHED' and confirmed_at is null and published_at <= (select resend_before from outbox_stream where stream = $1)
  order by published_at, event_id limit $2::int + 1
)
select least(count(*), $2::int)::int as count, count(*) > $2::int as more, iso(min(published_at)) as oldest,
  array(select event_id::text from found order by published_at, event_id limit 5) as sample
from found
