-- One notification with all its columns, and its dead letter.
-- $1 id
-- returns notification_id, event_id, user_id, stock_keeping_unit?, match_id?, mode?, peer_user_id?, about?, type, aggregate_key, aggregate_version, stale, channel, status, attempt_count, attempts_made, last_error?, failed_at?, created_at, sent_at?, next_retry_at, position?, read_at?, locked_by?, lease_until?, traceparent, trace_id, payload, dead_since?, requeued_at?, requeued_by?, requeue_reason?
select n.notification_id, n.event_id, n.user_id, n.payload ->> 'stock_keeping_unit' as stock_keeping_unit, n.payload ->> 'match_id' as match_id, n.payload ->> 'mode' as mode,
  n.payload #>> '{peer_user_ids,0}' as peer_user_id, notice_about(n.payload) as about, n.type, n.aggregate_key, n.aggregate_version, n.stale, n.channel, n.status, n.attempt_count,
  n.attempts_made, n.last_error, iso(n.failed_at) as failed_at, iso(n.created_at) as created_at, iso(n.sent_at) as sent_at, iso(n.next_retry_at) as next_retry_at,
  n.position, iso(n.read_at) as read_at, n.locked_by, iso(n.lease_until) as lease_until, n.traceparent, split_part(n.traceparent, '-', 2) as trace_id, n.payload,
  iso(d.failed_at) as dead_since, iso(d.requeued_at) as requeued_at, d.requeued_by, d.requeue_reason
from notifications n left join notification_dlq d using (notification_id) where n.notification_id = $1::uuid
