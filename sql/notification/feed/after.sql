-- The notifications delivered to a user after a position, in order.
-- $1 user_id
-- $2 after_position
-- $3 limit
-- returns notification_id, position, event_id, type, stale, payload, created_at, sent_at, read_at?
select notification_id, position, event_id, type, stale, payload, iso(created_at) as created_at, iso(sent_at) as sent_at, iso(read_at) as read_at
from notifications where user_id = $1 and position > $2::bigint
order by position limit $3::int
