-- Events before an id, newest first, whatever their state: so a page costs the same behind any backlog.
-- $1 before
-- $2 limit
-- returns event_id, is_confirmed
select event_id, confirmed_at is not null as is_confirmed from outbox_events where event_id < $1::uuid order by event_id desc limit $2::int
