-- Takes a batch of events in, each once: notes it as processed and puts it into its user's inbox. An event not returned was a duplicate.
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
-- returns event_id, stale
with incoming as materialized (
  select distinct on (event_id) * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::jsonb[], $8::text[])
    as i(event_id, event_type, aggregate_key, aggregate_version, stream_seq, user_id, payload, traceparent) order by event_id, stream_seq
), newest as (                                                            -- in key order: two consumers never wait for each other in a circle
  insert into newest_versions as n select aggregate_key, max(aggregate_version) from incoming group by aggregate_key order by aggregate_key
  on conflict (aggregate_key) do update set version = greatest(n.version, excluded.version)
  returning new.aggregate_key, old.version as before
), fresh as (
  insert into processed_events (event_id, event_type, aggregate_key, aggregate_version, stale, stream_seq, trace_id)
  select event_id, event_type, aggregate_key, aggregate_version, aggregate_version < coalesce(before, 0), stream_seq, split_part(traceparent, '-', 2)
  from incoming join newest using (aggregate_key) order by event_id
  on conflict (event_id) do nothing returning event_id, stale
), told as (
  insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel)
  select i.event_id, user_id, event_type, aggregate_key, aggregate_version, f.stale, payload, traceparent, $9
  from incoming i join fresh f using (event_id) order by aggregate_version
  on conflict (event_id) do nothing                                       -- a FAILED one outlives the books of processed events
)
select event_id, stale from fresh
