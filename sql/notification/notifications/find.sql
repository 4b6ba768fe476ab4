-- One notification with its dead letter.
-- $1 notification_id
-- returns notification_id, event_id, user_id, type, status, stale, attempt_count, last_error?, created_at, sent_at?, trace_id, payload, dead_since?, requeued_at?, requeued_by?, requeue_reason?
select n.notification_id, n.event_id, n.user_id, n.type, n.status, n.stale, n.attempt_count, n.last_error, iso(n.created_at) as created_at,
  iso(n.sent_at) as sent_at, split_part(n.traceparent, '-', 2) as trace_id, n.payload,
  iso(d.failed_at) as dead_since, iso(d.requeued_at) as requeued_at, d.requeued_by, d.requeue_reason
from notifications n left join notification_dlq d using (notification_id) where n.notification_id = $1::uuid
