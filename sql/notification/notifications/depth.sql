-- How much is open, for gauges. Each count stops at 10,001, and starts where dead index entries end, so that it costs the same whatever the
-- backlog and behind a long transaction. The age of the oldest open notification is exact: see the outbox's depth.sql.
-- $1 due_from: see head.sql
-- $2 lease_from: see oldest_lease.sql
-- returns pending, processing, dead, raw_dead, oldest_pending_seconds
select
  (select count(*)::int from (
    select from notifications where status = 'PENDING' and next_retry_at > $1::timestamptz order by next_retry_at limit 10001) c) as pending,
  (select count(*)::int from (
    select from notifications where status = 'PROCESSING' and lease_until > $2::timestamptz order by lease_until limit 10001) c) as processing,
  (select count(*)::int from (select from notification_dlq where requeued_at is null limit 10001) c) as dead,
  (select count(*)::int from (select from notification_nats_dlq where reprocessed_at is null limit 10001) c) as raw_dead,
  greatest(0, extract(epoch from now() - least(
    (select created_at from notifications where status = 'PENDING' and next_retry_at > $1::timestamptz order by next_retry_at limit 1),
    (select created_at from notifications where status in ('PENDING', 'PROCESSING') and next_retry_at > created_at order by created_at limit 1),
    (select min(created_at) from (
      select created_at from notifications where status = 'PROCESSING' and lease_until > $2::timestamptz order by lease_until limit 10001) h))))::float8 as oldest_pending_seconds
