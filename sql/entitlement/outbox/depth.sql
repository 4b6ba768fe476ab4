-- How much is open, for gauges; each count stops at 10,001 so that it costs the same whatever the backlog.
-- returns pending, in_flight, failed, unconfirmed, oldest_pending_seconds
select
  (select count(*)::int from (select from outbox_events where status = 'PENDING' limit 10001) c) as pending,
  (select count(*)::int from (select from outbox_events where status = 'IN_FLIGHT' limit 10001) c) as in_flight,
  (select count(*)::int from (select from outbox_events where status = 'FAILED' limit 10001) c) as failed,
  (select count(*)::int from (select from outbox_events where status = 'PUBLISHED' and confirmed_at is null limit 10001) c) as unconfirmed,
  coalesce(extract(epoch from now() - (select min(next_retry_at) from outbox_events where status = 'PENDING' and next_retry_at <= now())), 0)::float8 as oldest_pending_seconds
