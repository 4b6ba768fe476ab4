-- Takes a batch of events in, each once: notes it as processed and puts it into its user's inbox. An event not returned was a duplicate.
-- With a token it claims at once what has nothing open before it in its aggregate: the worker that took it in sends it.
-- Stale is judged against the newest version before this batch: versions that come together are delivered in order by the sender.
-- $1 event_id
-- $2 event_type
-- $3 aggregate_key
-- $4 aggregate_version
-- $5 stream_seq
-- $6 user_id
-- $7 payload
-- $8 traceparent
-- $9 channel
-- $10 worker?
-- $11 token?: null = claim nothing
-- $12 lease_seconds?
-- returns event_id, stale, claimed_id?
with incoming as materialized (
  select distinct on (event_id) * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::jsonb[], $8::text[])
    as i(event_id, event_type, aggregate_key, aggregate_version, stream_seq, user_id, payload, traceparent) order by event_id, stream_seq
), newest as (                                                            -- in key order: two consumers never wait for each other in a circle
  insert into newest_versions as n select aggregate_key, max(aggregate_version) from incoming group by aggregate_key order by aggregate_key
  on conflict (aggregate_key) do update set version = greatest(n.version, excluded.version)
  returning new.aggregate_key, old.version as before, old.ctid as place
), fresh as (
  insert into processed_events (event_id, event_type, aggregate_key, aggregate_version, stale, stream_seq, trace_id)
  select event_id, event_type, aggregate_key, aggregate_version, aggregate_version < coalesce(before, 0), stream_seq, split_part(traceparent, '-', 2)
  from incoming join newest using (aggregate_key) order by event_id
  on conflict (event_id) do nothing returning event_id, stale
), free as materialized (                                                 -- nothing is open, and nobody took anything in since this statement began
  select aggregate_key from newest n where $11::uuid is not null
    and place is not distinct from (select ctid from newest_versions v where v.aggregate_key = n.aggregate_key)
    and (select min(aggregate_version) from notifications e           -- min(), not NOT EXISTS: it cannot become a hash join
         where e.aggregate_key = n.aggregate_key and e.status in ('PENDING', 'PROCESSING')) is null
), told as (
  insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel,
    status, locked_by, locked_at, lease_until, claim_token)
  select i.event_id, user_id, event_type, aggregate_key, aggregate_version, f.stale, payload, traceparent, $9,
    case when at_once then 'PROCESSING' else 'PENDING' end, case when at_once then $10::text end, case when at_once then now() end,
    case when at_once then now() + make_interval(secs => $12::float8) end, case when at_once then $11::uuid end
  from incoming i join fresh f using (event_id), lateral (select aggregate_key = any (array(select aggregate_key from free)) as at_once) c
  order by aggregate_version
  on conflict (event_id) do nothing                                       -- a FAILED one outlives the books of processed events
  returning event_id, case status when 'PROCESSING' then notification_id end as claimed_id
)
select event_id, stale, claimed_id from fresh left join told using (event_id)
