-- Consumes a batch of events, each once: records it as processed and inserts its notification. An event not returned was a duplicate.
-- Versions of an aggregate start at 1 and have no gaps. So an event is early if its predecessor was not consumed yet: it is returned as `waiting`
-- with the newest consumed version, and nothing of it is stored. let_through consumes it without its predecessor, unless its aggregate has
-- made progress since through_at.
-- The row of newest_versions is locked first and its newest state decides, so two consumers never consume neighbours in the wrong order.
-- Stale is judged against the newest version before this batch: versions of one batch are delivered in order.
-- It also delivers the notifications whose aggregate has no other open one, if it may: they are SENT from the start, each with its place in the
-- user's feed. The counters of the users are locked last, in one order for all, until the commit (see settle.sql). The connection
-- must be durable: positions that were visible must not be given again.
-- $1 event_id
-- $2 event_type
-- $3 aggregate_key
-- $4 aggregate_version
-- $5 stream_seq
-- $6 user_id
-- $7 payload
-- $8 traceparent
-- $9 pair_key: each aggregate of the batch once, with values that arrivals.ts has computed from its versions:
-- $10 let_through: the version that has waited long enough, 0 = none
-- $11 through_at: the newest consumed version of the aggregate during that time; if there is a newer one now, the event goes on waiting
-- $12 run_first: the lowest version above let_through, 0 = none
-- $13 run_last: where the versions from run_first on have their first gap
-- $14 channel
-- $15 worker
-- $16 deliver: whether notifications may be SENT from the start; otherwise they are PENDING for the sender
-- returns event_id, before, reached, waiting, stale, sent_id?, position?
with incoming as materialized (
  select distinct on (event_id) * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::jsonb[], $8::text[])
    as i(event_id, event_type, aggregate_key, aggregate_version, stream_seq, user_id, payload, traceparent) order by event_id, stream_seq
), newest as (                                                            -- in key order: no deadlock between two consumers
  insert into newest_versions as n
  select pair_key, case when run_first <= let_through + 1 then greatest(let_through, run_last) else let_through end
  from unnest($9::text[], $10::bigint[], $12::bigint[], $13::bigint[]) as p(pair_key, let_through, run_first, run_last) order by pair_key
  on conflict (aggregate_key) do update set version = (                   -- array_position, not a join with unnest: that would be a scan for each row
    select case when ($12::bigint[])[i] <= base + 1 then greatest(base, ($13::bigint[])[i]) else base end
    from (select array_position($9::text[], n.aggregate_key) as i offset 0) place,
      lateral (select case when n.version <= ($11::bigint[])[i] or ($10::bigint[])[i] <= n.version + 1 then greatest(n.version, ($10::bigint[])[i]) else n.version end as base offset 0) b)
  returning new.aggregate_key, new.version as reached, coalesce(old.version, 0) as before, old.ctid as place
), accepted as materialized (
  select i.*, before, reached, place, aggregate_version < before as stale
  from incoming i join newest using (aggregate_key) where aggregate_version <= reached
), fresh as (
  insert into processed_events (event_id, event_type, aggregate_key, aggregate_version, stale, stream_seq, trace_id)
  select event_id, event_type, aggregate_key, aggregate_version, stale, stream_seq, split_part(traceparent, '-', 2) from accepted order by event_id
  on conflict (event_id) do nothing returning event_id
), free as materialized (                                                 -- no open one near it, and nothing of it was consumed since this statement began
  select aggregate_key from (select aggregate_key, place, min(aggregate_version) as low, max(aggregate_version) as high from accepted group by aggregate_key, place) a
  where $16::boolean
    and place is not distinct from (select ctid from newest_versions v where v.aggregate_key = a.aggregate_key)
    and (select aggregate_version from notifications e                    -- limit 1, not NOT EXISTS: it cannot become a hash join; the range: see claim.sql
         where e.aggregate_key = a.aggregate_key and e.aggregate_version between low - 24 and high + 24 and e.status in ('PENDING', 'PROCESSING')
         order by aggregate_version desc limit 1) is null
), due as materialized (                                                  -- a FAILED notification is kept longer than its row of processed_events
  select a.*, aggregate_key in (select aggregate_key from free) as is_sent, clock_timestamp() as at
  from accepted a
  where (event_id in (select event_id from fresh)) is true                -- "is true": a lookup in a hash table, never a nested loop
    and (select true from notifications known where known.event_id = a.event_id limit 1) is null
), counted as (
  insert into inbox_positions as p (user_id, position) select user_id, count(*) from due where is_sent group by user_id order by user_id
  on conflict (user_id) do update set position = p.position + excluded.position
  returning new.user_id, coalesce(old.position, 0) as base
), told as (                                                              -- clock_timestamp after the lock: times follow positions
  insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, created_at, next_retry_at,
    status, attempt_count, attempts_made, sent_at, sent_by, position)
  select event_id, user_id, event_type, aggregate_key, aggregate_version, stale, payload, traceparent, $14, at, at,
    case when is_sent then 'SENT' else 'PENDING' end, is_sent::int, is_sent::int, case when is_sent then clock_timestamp() end, case when is_sent then $15::text end,
    case when is_sent then base + row_number() over (partition by user_id, is_sent order by aggregate_version, event_id) end
  from due full join counted using (user_id)                              -- full: never a nested loop. All users of counted are in due.
  order by aggregate_version, event_id
  returning event_id, case status when 'SENT' then notification_id end as sent_id, position
)
select event_id, before, reached, false as waiting, stale, sent_id, position from fresh join accepted using (event_id) left join told using (event_id)
union all
select event_id, before, reached, true, false, null, null from incoming join newest using (aggregate_key) where aggregate_version > reached
