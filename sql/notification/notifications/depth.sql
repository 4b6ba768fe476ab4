-- How much is open, for gauges; each count stops at 10,001.
-- returns pending, processing, dead, raw_dead, oldest_pending_seconds
select
  (select count(*)::int from (select from notifications where status = 'PENDING' limit 10001) c) as pending,
  (select count(*)::int from (select from notifications where status = 'PROCESSING' limit 10001) c) as processing,
  (select count(*)::int from (select from notification_dlq where requeued_at is null limit 10001) c) as dead,
  (select count(*)::int from (select from notification_nats_dlq where reprocessed_at is null limit 10001) c) as raw_dead,
  coalesce(extract(epoch from now() - (select min(next_retry_at) from notifications where status = 'PENDING' and next_retry_at <= now())), 0)::float8 as oldest_pending_seconds
