-- Claims due notifications, oldest first, at most $3 in all: the earliest open one of each aggregate, then the run that follows it.
-- $1 worker
-- $2 token
-- $3 limit
-- $4 lease_seconds
-- $5 from: due times up to here are not looked at (an optimisation; see head.sql)
-- returns notification_id, event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, attempt_count
with head as materialized (
  select ctid, aggregate_key, aggregate_version from notifications n
  where status = 'PENDING' and next_retry_at > $5::timestamptz and next_retry_at <= now()
    and aggregate_version = (select min(aggregate_version) from notifications e
                             where e.aggregate_key = n.aggregate_key and e.status in ('PENDING', 'PROCESSING'))
  order by next_retry_at limit $3::int for update skip locked
), run as materialized (                                                  -- up to the first that is not to be had: a late version may come before one under way
  select next.ctid from head h, lateral (
    select ctid, aggregate_version, bool_and(status = 'PENDING' and next_retry_at <= now()) over (order by aggregate_version) as unbroken from (
      select ctid, aggregate_version, status, next_retry_at from notifications e
      where e.aggregate_key = h.aggregate_key and e.aggregate_version > h.aggregate_version and status in ('PENDING', 'PROCESSING')
      order by aggregate_version limit 25) follower) next
  where unbroken
  order by h.aggregate_key, next.aggregate_version
  limit greatest($3::int - (select count(*) from head), 0)
), claimed as (
  update notifications set status = 'PROCESSING', locked_by = $1, locked_at = now(),
    lease_until = now() + make_interval(secs => $4::float8), claim_token = $2::uuid
  where ctid = any (array(select ctid from head union all select ctid from run))
  returning notification_id, event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, attempt_count
)
select * from claimed order by aggregate_version
