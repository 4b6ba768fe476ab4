-- After the stream lost messages: requeues a batch of events that were published before and are not confirmed, with a new message id. Waits for other
-- processes that do the same. So when no row is left, all are requeued, and no newer event overtakes them. Other statements lock these rows in
-- another order (confirm, resend_missing): after a deadlock the caller tries again.
-- $1 stream
-- $2 limit
-- returns event_id
update outbox_events set status = 'PENDING', attempt_count = 0, next_retry_at = now(), publish_generation = publish_generation + 1,
  published_at = null, stream_seq = null, stream_duplicate = null
where event_id = any (array(
  select event_id from outbox_events
  where status = 'PUBLISHED' and confirmed_at is null and published_at <= (select resend_before from outbox_stream where stream = $1)
  order by published_at, event_id limit $2::int for update))
returning event_id
