-- A user's notifications, newest first.
-- $1 user_id
-- $2 before_notification_id
-- $3 limit
-- returns notification_id, event_id, type, status, stale, attempt_count, last_error?, created_at, sent_at?, position?, read_at?, trace_id, payload
select notification_id, event_id, type, status, stale, attempt_count, last_error, iso(created_at) as created_at, iso(sent_at) as sent_at,
  position, iso(read_at) as read_at, split_part(traceparent, '-', 2) as trace_id, payload
from notifications where user_id = $1 and notification_id < $2::uuid
order by notification_id desc limit $3::int
