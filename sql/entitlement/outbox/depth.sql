-- How much is open, for gauges. Each count stops at 10,001, and starts where dead index entries end, so that it costs the same whatever the
-- backlog and behind a long transaction.
-- The age of the oldest open event is exact. An event that was never requeued is due since it was created, so the first by due time is the oldest of
-- these. Events that were requeued or tried again have an index by age. Claimed events are few.
-- $1 due_from: see head.sql
-- $2 lease_from: see oldest_lease.sql
-- $3 published_from: the last `unconfirmed_from`, or -infinity
-- returns pending, in_flight, failed, unconfirmed, oldest_pending_seconds, unconfirmed_from
select
  (select count(*)::int from (
    select from outbox_events where status = 'PENDING' and next_retry_at > $1::timestamptz order by next_retry_at limit 10001) c) as pending,
  (select count(*)::int from (
    select from outbox_events where status = 'IN_FLIGHT' and lease_until > $2::timestamptz order by lease_until limit 10001) c) as in_flight,
  (select count(*)::int from (select from outbox_events where status = 'FAILED' order by event_id limit 10001) c) as failed,
  (select count(*)::int from (
    select from outbox_events where status = 'PUBLISHED' and confirmed_at is null and published_at > $3::timestamptz
    order by published_at, event_id limit 10001) c) as unconfirmed,
  greatest(0, extract(epoch from now() - least(
    (select created_at from outbox_events where status = 'PENDING' and next_retry_at > $1::timestamptz order by next_retry_at limit 1),
    (select created_at from outbox_events where status in ('PENDING', 'IN_FLIGHT') and next_retry_at > created_at order by created_at limit 1),
    (select min(created_at) from (
      select created_at from outbox_events where status = 'IN_FLIGHT' and lease_until > $2::timestamptz order by lease_until limit 10001) h))))::float8 as oldest_pending_seconds,
  least((select published_at from outbox_events where status = 'PUBLISHED' and confirmed_at is null and published_at > $3::timestamptz
         order by published_at, event_id limit 1) - interval '1 millisecond', now() - interval '5 seconds') as unconfirmed_from
