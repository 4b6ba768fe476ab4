-- A page of published events that are not confirmed, oldest first.
-- $1 after_published_at
-- $2 after_event_id
-- $3 limit
-- $4 overdue_seconds: from this age on a missing event is overdue. Each republish doubles it, up to 16 times: an event that is refused on arrival
--    is refused again, and leaves a raw dead letter each time
-- returns event_id, published_at, overdue
select event_id, published_at, published_at < now() - make_interval(secs => $4::float8 * 2 ^ least(publish_generation, 4)) as overdue from outbox_events
where status = 'PUBLISHED' and confirmed_at is null and (published_at, event_id) > ($1::timestamptz, $2::uuid)
order by published_at, event_id limit $3::int
