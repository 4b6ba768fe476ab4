-- Consumes a batch of matches, each once and as a whole: records both requests to join as announced and both notices as processed, and inserts their
-- notifications. A match is refused if one of its requests was announced in another match and still counts: `conflict`, with that match. It counts
-- for a while from now, and for matches that were made around the same time, however late they are consumed. A match that was consumed before is a
-- `duplicate`. Nothing is stored of either.
-- A row of the input is one notice. No two matches of a batch may share a join_id.
-- A lost race for a join_id raises unique_violation on announced_joins_pkey: run the same batch again, and it sees the rival's match.
-- It also delivers the notifications, if it may: they are SENT from the start, each with its place in the user's feed and its attempt. The connection
-- must be durable: positions that were visible must not be given again.
-- $1 match_id
-- $2 stream_seq
-- $3 occurred_at
-- $4 session
-- $5 join_id
-- $6 event_id
-- $7 event_type
-- $8 aggregate_key
-- $9 user_id
-- $10 payload: peer_user_ids is stored with the request, too
-- $11 traceparent
-- $12 keep_seconds: how long a request that was announced counts
-- $13 channel
-- $14 worker
-- $15 deliver: whether notifications may be SENT from the start; otherwise they are PENDING for the sender
-- returns match_id, event_id, outcome, announced_in?, sent_id?, position?
with notice as materialized (
  select * from unnest($1::uuid[], $2::bigint[], $3::text[]::timestamptz[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::jsonb[], $11::text[])
    as i(match_id, stream_seq, occurred_at, session, join_id, event_id, event_type, aggregate_key, user_id, payload, traceparent)
), known as materialized (                                                -- lateral with limit: index lookups under every plan
  select n.*, a.place, p.there or a.announced_in = n.match_id as is_known, case when a.counts then a.announced_in end as announced_in
  from notice n
  left join lateral (select ctid as place, match_id as announced_in, announced_at > now() - make_interval(secs => $12::float8)
      or abs(extract(epoch from announced_at - n.occurred_at)) < $12::float8 as counts
    from announced_joins j where j.join_id = n.join_id limit 1) a on true
  left join lateral (select aggregate_key = n.aggregate_key as there from processed_events e where e.event_id = n.event_id limit 1) p on true
), judged as materialized (                                               -- a match stands or falls as a whole
  select *, case when bool_or(is_known) over whole then 'duplicate' when bool_or(announced_in is not null) over whole then 'conflict' else 'accepted' end as outcome
  from known window whole as (partition by match_id)
), fresh as materialized (
  select * from judged where outcome = 'accepted'
), expired as (
  delete from announced_joins where ctid = any (array(select place from fresh where place is not null)) returning 1
), announced as (                                                         -- in one order for all, and after the expired rows are gone
  insert into announced_joins (join_id, match_id, event_id, announced_at, peer_user_ids, session)
  select join_id, match_id, event_id, occurred_at, array(select jsonb_array_elements_text(payload -> 'peer_user_ids')), session
  from fresh where (select count(*) from expired) >= 0 order by join_id
  returning 1
), processed as (                                                         -- after the requests: two consumers meet there, and only there
  insert into processed_events (event_id, event_type, aggregate_key, aggregate_version, stale, stream_seq, trace_id)
  select event_id, event_type, aggregate_key, 1, false, stream_seq, split_part(traceparent, '-', 2)
  from fresh where (select count(*) from announced) >= 0 order by event_id
  returning 1
), due as materialized (                                                  -- a FAILED notification is kept longer than its row of processed_events
  select *, clock_timestamp() as at from fresh
  where (select count(*) from processed) >= 0 and (select true from notifications old where old.event_id = fresh.event_id limit 1) is null
), counted as (                                                           -- in one order for all, until the commit (see settle.sql)
  insert into inbox_positions as p (user_id, position) select user_id, count(*) from due where $15::boolean group by user_id order by user_id
  on conflict (user_id) do update set position = p.position + excluded.position
  returning new.user_id, coalesce(old.position, 0) as base
), told as (
  insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, created_at, next_retry_at,
    status, attempt_count, attempts_made, sent_at, sent_by, position)
  select event_id, user_id, event_type, aggregate_key, 1, false, payload, traceparent, $13, at, at,
    case when $15::boolean then 'SENT' else 'PENDING' end, $15::boolean::int, $15::boolean::int, case when $15::boolean then clock_timestamp() end,
    case when $15::boolean then $14::text end,
    case when $15::boolean then base + row_number() over (partition by user_id order by stream_seq, event_id) end
  from due full join counted using (user_id) order by stream_seq, event_id   -- full: never a nested loop (see accept.sql)
  returning event_id, case status when 'SENT' then notification_id end as sent_id, position
)
select j.match_id, j.event_id, j.outcome, case j.outcome when 'conflict' then j.announced_in end as announced_in, t.sent_id, t.position
from judged j left join told t on t.event_id = j.event_id
