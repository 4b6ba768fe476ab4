-- The journey of notifications, newest first, each by its own id or by its event's: consumed, attempts (the last 100), dead letter.
-- $1 id
-- returns notification_id, event_id, user_id, type, aggregate_version, stale, channel, status, attempt_count, last_error?, created_at, sent_at?, next_retry_at, position?, read_at?, trace_id, payload, processed?, attempts, dead?
select n.notification_id, n.event_id, n.user_id, n.type, n.aggregate_version, n.stale, n.channel, n.status, n.attempt_count, n.last_error,
  iso(n.created_at) as created_at, iso(n.sent_at) as sent_at, iso(n.next_retry_at) as next_retry_at, n.position, iso(n.read_at) as read_at,
  split_part(n.traceparent, '-', 2) as trace_id, n.payload,
  (select jsonb_build_object('processed_at', iso(p.processed_at), 'stale', p.stale, 'stream_seq', p.stream_seq)
   from processed_events p where p.event_id = n.event_id limit 1) as processed,
  (select coalesce(jsonb_agg(jsonb_build_object('number', number, 'worker', worker, 'started_at', iso(started_at), 'duration_ms', duration_ms,
      'outcome', outcome, 'error', error) order by number desc), '[]')
   from (select * from delivery_attempts t where t.notification_id = n.notification_id order by number desc limit 100) t) as attempts,
  (select jsonb_build_object('failed_at', iso(failed_at), 'requeued_at', iso(requeued_at), 'requeued_by', requeued_by)
   from notification_dlq d where d.notification_id = n.notification_id limit 1) as dead
from unnest($1::uuid[]) as i(id), lateral (
  select * from ((select * from notifications where notification_id = i.id limit 1)
    union all (select * from notifications where event_id = i.id limit 1)) both_ways limit 1) n
order by n.notification_id desc
