-- Consumes a batch of events, each once: notes it as processed and puts it into its user's inbox. An event not returned was a duplicate.
-- Versions of an aggregate start at 1 and have no gaps. So an event whose predecessor was not consumed yet is early: it is returned as `waiting`,
-- with the newest version consumed, and nothing is stored of it. It is let through if it was told so while nothing of its aggregate was consumed.
-- The row of newest_versions is locked first and its newest state decides, so two consumers never take neighbours in the wrong order.
-- Stale is judged against the newest version before this batch: versions that come together are delivered in order by the sender.
-- With a token it claims at once what has nothing open before it in its aggregate: the worker that took it in sends it.
-- $1 event_id
-- $2 event_type
-- $3 aggregate_key
-- $4 aggregate_version
-- $5 stream_seq
-- $6 user_id
-- $7 payload
-- $8 traceparent
-- $9 through_id: the events that have waited long enough
-- $10 through_at: the newest version of the aggregate, as it was all that time; if there is a newer one, the event waits on
-- $11 channel
-- $12 worker?
-- $13 token?: null = claim nothing
-- $14 lease_seconds?
-- returns event_id, reached, waiting, stale, after_gap, claimed_id?
with incoming as materialized (
  select distinct on (event_id) *, ($10::bigint[])[array_position($9::uuid[], event_id)] as through_at
  from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::jsonb[], $8::text[])
    as i(event_id, event_type, aggregate_key, aggregate_version, stream_seq, user_id, payload, traceparent)
  order by event_id, stream_seq
), batch as (
  select aggregate_key, aggregate_version as version, coalesce(max(through_at) over aggregate, 0) as through_at,
    coalesce(max(aggregate_version) filter (where through_at is not null) over aggregate, 0) as let_through
  from incoming window aggregate as (partition by aggregate_key)
), run as (                                                               -- of those above let_through: the lowest versions without a gap
  select *, version > let_through and version - dense_rank() over above = min(version) over above - 1 as in_run
  from batch window above as (partition by aggregate_key, version > let_through order by version)
), arrival as materialized (
  select aggregate_key, max(let_through) as let_through, max(through_at) as through_at, min(version) filter (where in_run) as first, max(version) filter (where in_run) as last
  from run group by aggregate_key
), by_key as materialized (                                               -- one object: a look-up in a CTE would pass all of its rows
  select jsonb_object_agg(aggregate_key, array[let_through, through_at, first, last]) as of_key from arrival
), newest as (                                                            -- in key order: two consumers never wait for each other in a circle
  insert into newest_versions as n
  select aggregate_key, case when first <= let_through + 1 then last else let_through end from arrival order by aggregate_key
  on conflict (aggregate_key) do update set version = (
    select case when first <= base + 1 then greatest(base, last) else base end
    from (select of_key -> n.aggregate_key as a from by_key offset 0) k,  -- offset: looked up once, not at every use
      lateral (select (a ->> 0)::bigint as let_through, (a ->> 1)::bigint as through_at, (a ->> 2)::bigint as first, (a ->> 3)::bigint as last offset 0) r,
      lateral (select case when n.version <= through_at or let_through <= n.version + 1 then greatest(n.version, let_through) else n.version end as base) b)
  returning new.aggregate_key, new.version as reached, coalesce(old.version, 0) as before, old.ctid as place
), accepted as materialized (
  select i.*, before, reached, place, aggregate_version < before as stale,
    aggregate_version > greatest(before, lag(aggregate_version, 1, 0::bigint) over (partition by aggregate_key order by aggregate_version)) + 1 as after_gap
  from incoming i join newest using (aggregate_key) where aggregate_version <= reached
), fresh as (
  insert into processed_events (event_id, event_type, aggregate_key, aggregate_version, stale, stream_seq, trace_id)
  select event_id, event_type, aggregate_key, aggregate_version, stale, stream_seq, split_part(traceparent, '-', 2) from accepted order by event_id
  on conflict (event_id) do nothing returning event_id
), free as materialized (                                                 -- nothing is open near it, and nobody consumed anything since this statement began
  select aggregate_key from (select aggregate_key, place, min(aggregate_version) as low, max(aggregate_version) as high from accepted group by aggregate_key, place) a
  where $13::uuid is not null
    and place is not distinct from (select ctid from newest_versions v where v.aggregate_key = a.aggregate_key)
    and (select aggregate_version from notifications e                    -- limit 1, not NOT EXISTS: it cannot become a hash join; the range: see claim.sql
         where e.aggregate_key = a.aggregate_key and e.aggregate_version between low - 24 and high + 24 and e.status in ('PENDING', 'PROCESSING')
         order by aggregate_version desc limit 1) is null
), told as (
  insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel,
    status, locked_by, locked_at, lease_until, claim_token)
  select event_id, user_id, event_type, aggregate_key, aggregate_version, stale, payload, traceparent, $11,
    case when at_once then 'PROCESSING' else 'PENDING' end, case when at_once then $12::text end, case when at_once then now() end,
    case when at_once then now() + make_interval(secs => $14::float8) end, case when at_once then $13::uuid end
  from accepted join fresh using (event_id), lateral (select aggregate_key = any (array(select aggregate_key from free)) as at_once) c
  order by aggregate_version
  on conflict (event_id) do nothing                                       -- a FAILED one outlives the books of processed events
  returning event_id, case status when 'PROCESSING' then notification_id end as claimed_id
)
select event_id, reached, false as waiting, stale, after_gap, claimed_id from fresh join accepted using (event_id) left join told using (event_id)
union all
select event_id, reached, true, false, false, null from incoming join newest using (aggregate_key) where aggregate_version > reached
