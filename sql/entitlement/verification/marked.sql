-- Events that are marked as missing, oldest first.
-- $1 limit
-- returns event_id
select event_id from outbox_events where missing_at is not null order by event_id limit $1::int
