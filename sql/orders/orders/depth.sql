-- How much is open, for gauges. Each count stops at 10,001 (pending and failed together), and starts where dead index entries end, so that it costs
-- the same whatever the backlog and behind a long transaction.
-- The age of the oldest open order is exact. An order that was never tried is due since it was queued, so the first by due time is the oldest of
-- these. Orders that were tried or released have an index by age. Claimed orders are few.
-- $1 due_from: see head.sql
-- $2 lease_from: see oldest_lease.sql
-- returns pending, failed, sending, aborted, unknown, oldest_pending_seconds
with due as materialized (
  select status from outbox_orders where status in ('pending', 'failed') and next_attempt_at > $1::timestamptz order by next_attempt_at limit 10001
)
select
  (select count(*)::int from due where status = 'pending') as pending,
  (select count(*)::int from due where status = 'failed') as failed,
  (select count(*)::int from (
    select from outbox_orders where status = 'sending' and lease_until > $2::timestamptz order by lease_until limit 10001) c) as sending,
  (select count(*)::int from (select from outbox_orders where status = 'aborted' order by order_id limit 10001) c) as aborted,
  (select count(*)::int from (select from outbox_orders where outcome_unknown order by order_id limit 10001) c) as unknown,
  greatest(0, extract(epoch from now() - least(
    (select queued_at from outbox_orders where status in ('pending', 'failed') and next_attempt_at > $1::timestamptz order by next_attempt_at limit 1),
    (select queued_at from outbox_orders where status in ('pending', 'failed', 'sending') and next_attempt_at > queued_at order by queued_at limit 1),
    (select min(queued_at) from (
      select queued_at from outbox_orders where status = 'sending' and lease_until > $2::timestamptz order by lease_until limit 10001) h))))::float8 as oldest_pending_seconds
