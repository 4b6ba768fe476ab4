-- Claims due events, oldest first, at most $3 in all: the earliest open event of each aggregate, then the run of events that follow it.
-- Publish a run in order; after a failure release the rest of it.
-- An event waits for every open one up to 24 versions before it, and a run has at most 15 followers. It is not "every earlier one", because a long
-- transaction keeps the index entries of published events, and the search would pass all of them. Versions have no gaps, so only 24 FAILED or
-- discarded events in a row can hide an open one.
-- It looks at $8 events. Behind a few busy aggregates nearly all are blocked, and a search for $3 free ones would pass the whole backlog.
-- $1 worker
-- $2 token
-- $3 limit
-- $4 lease_seconds
-- $5 from: due times up to here are not looked at (an optimisation; see head.sql)
-- $6 stream: where the events are published
-- $7 resend_before?: the resend_before this worker last read. If the stored one is newer, nothing is claimed: lost events go first
-- $8 look: the most events to look at
-- returns event_id, event_type, aggregate_key, aggregate_version, payload, traceparent, attempt_count, publish_generation
with head as materialized (
  select ctid, aggregate_key, aggregate_version from outbox_events o
  where status = 'PENDING' and next_retry_at > $5::timestamptz
    and next_retry_at <= coalesce((
      select next_retry_at from outbox_events where status = 'PENDING' and next_retry_at > $5::timestamptz and next_retry_at <= now()
      order by next_retry_at offset $8::int limit 1), now())
    and (select resend_before from outbox_stream where stream = $6::text) is not distinct from $7::timestamptz
    and (select aggregate_version from outbox_events e                            -- limit 1, not NOT EXISTS: it cannot become a hash join
         where e.aggregate_key = o.aggregate_key and e.aggregate_version between o.aggregate_version - 24 and o.aggregate_version - 1
           and e.status in ('PENDING', 'IN_FLIGHT')
         order by e.aggregate_version desc limit 1) is null
  order by next_retry_at limit $3::int for update skip locked
), run as materialized (                                                          -- the lock on the head locks the aggregate, up to the first event that
  select next.ctid from head h, lateral (                                         -- cannot be claimed: a requeued one may come before one under way
    select ctid, aggregate_version, bool_and(status = 'PENDING' and next_retry_at <= now()) over (order by aggregate_version) as unbroken from (
      select ctid, aggregate_version, status, next_retry_at from outbox_events e
      where e.aggregate_key = h.aggregate_key and e.aggregate_version between h.aggregate_version + 1 and h.aggregate_version + 15
        and status in ('PENDING', 'IN_FLIGHT')
      order by aggregate_version limit 15) follower) next
  where unbroken
  order by h.aggregate_key, next.aggregate_version                                -- so that the cut leaves each run without a gap
  limit greatest($3::int - (select count(*) from head), 0)
), claimed as (
  update outbox_events set status = 'IN_FLIGHT', locked_by = $1, locked_at = now(),
    lease_until = now() + make_interval(secs => $4::float8), claim_token = $2::uuid
  where ctid = any (array(select ctid from head union all select ctid from run))
  returning event_id, event_type, aggregate_key, aggregate_version, payload, traceparent, attempt_count, publish_generation
)
select * from claimed order by aggregate_version
