-- Requeues published events that notification has not consumed although nothing is under way, with a new message id.
-- $1 event_id
-- returns event_id
update outbox_events set status = 'PENDING', attempt_count = 0, next_retry_at = now(), publish_generation = publish_generation + 1,
  published_at = null, stream_seq = null, stream_duplicate = null
where event_id = any ($1::uuid[]) and status = 'PUBLISHED' and confirmed_at is null
returning event_id
