-- Claims due notifications, oldest first, at most $3 in all: the earliest open one of each aggregate, then the run that follows it.
-- A notification waits for every open one up to 24 versions before it, and a run has at most 15 followers. It is not "every earlier one", because a
-- long transaction keeps the index entries of sent notifications, and the search would pass all of them. Only 24 versions in a row that failed or
-- never came can hide an open one.
-- It looks at $6 notifications. Behind a few busy aggregates nearly all are blocked, and a search for $3 free ones would pass the whole backlog.
-- $1 worker
-- $2 token
-- $3 limit
-- $4 lease_seconds
-- $5 from: due times up to here are not looked at (an optimisation; see head.sql)
-- $6 look: the most notifications to look at
-- returns notification_id, event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, attempt_count
with head as materialized (
  select ctid, aggregate_key, aggregate_version from notifications n
  where status = 'PENDING' and next_retry_at > $5::timestamptz
    and next_retry_at <= coalesce((
      select next_retry_at from notifications where status = 'PENDING' and next_retry_at > $5::timestamptz and next_retry_at <= now()
      order by next_retry_at offset $6::int limit 1), now())
    and (select aggregate_version from notifications e                    -- limit 1, not NOT EXISTS: it cannot become a hash join
         where e.aggregate_key = n.aggregate_key and e.aggregate_version between n.aggregate_version - 24 and n.aggregate_version - 1
           and e.status in ('PENDING', 'PROCESSING')
         order by e.aggregate_version desc limit 1) is null
  order by next_retry_at limit $3::int for update skip locked
), run as materialized (                                                  -- up to the first that cannot be claimed: a late version may come before one under way
  select next.ctid from head h, lateral (
    select ctid, aggregate_version, bool_and(status = 'PENDING' and next_retry_at <= now()) over (order by aggregate_version) as unbroken from (
      select ctid, aggregate_version, status, next_retry_at from notifications e
      where e.aggregate_key = h.aggregate_key and e.aggregate_version between h.aggregate_version + 1 and h.aggregate_version + 15
        and status in ('PENDING', 'PROCESSING')
      order by aggregate_version limit 15) follower) next
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
