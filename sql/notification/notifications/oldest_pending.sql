-- When the oldest open notification was created, whether it waits or is claimed. Exact: see depth.sql.
-- returns oldest_pending_at?
select iso(least(
    (select created_at from notifications where status = 'PENDING' order by next_retry_at limit 1),
    (select created_at from notifications where status in ('PENDING', 'PROCESSING') and next_retry_at > created_at order by created_at limit 1),
    (select min(created_at) from (
      select created_at from notifications where status = 'PROCESSING' order by lease_until limit 10001) h))) as oldest_pending_at
