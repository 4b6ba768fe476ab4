-- Events that match a filter, newest first. Examines at most $11; the last examined row is
-- returned even if it does not match: the next page starts after it.
-- $1 status?: RETRYING are PENDING ones that failed before
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?: inclusive
-- $8 created_to?: exclusive
-- $9 before_id
-- $10 limit
-- $11 scan: the most rows to examine
-- returns event_id, event_type, user_id, stock_keeping_unit, aggregate_version, status, attempt_count, last_error?, failed_at?, created_at, published_at?, next_retry_at, confirmed_at?, publish_generation, stream_seq?, trace_id, matches, examined
with reach as materialized (                                              -- ids are v7, so a span of time is a range of ids
  select lowest_id($7::timestamptz) as low, least($9::uuid, highest_id($8::timestamptz)) as high
), looked as (                                                            -- one branch runs; each has an order and a limit: an index range under every plan
  (select * from outbox_events where $3::text is null and $1::text is distinct from 'FAILED'
     and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $11::int)
  union all
  (select * from outbox_events where $3::text is null and $1::text = 'FAILED' and $5::text is null and status = 'FAILED'
     and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $11::int)
  union all
  (select * from outbox_events where $3::text is null and $1::text = 'FAILED' and status = 'FAILED' and error_fingerprint = $5::text
     and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $11::int)
  union all                                                               -- a user's, by the audit; FAILED ones may be older than their audit
  (select * from (                                                        -- a deleted event counts as examined and does not match
     select event_id from (
       (select event_id from entitlement_audit where user_id = $3::text and event_id >= (select low from reach) and event_id < (select high from reach)
        order by event_id desc limit $11::int)
       union
       select event_id from outbox_events where status = 'FAILED' and aggregate_key collate "C" >= $3::text || ':' and aggregate_key collate "C" < $3::text || ';'
     ) ids where event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $11::int) mine
     left join lateral (select * from outbox_events o where o.event_id = mine.event_id limit 1) o using (event_id)
   order by event_id desc)
)
select event_id, event_type, payload ->> 'user_id' as user_id, payload ->> 'stock_keeping_unit' as stock_keeping_unit, aggregate_version,
  status, attempt_count, last_error, iso(failed_at) as failed_at, iso(created_at) as created_at, iso(published_at) as published_at, iso(next_retry_at) as next_retry_at,
  iso(confirmed_at) as confirmed_at, publish_generation, stream_seq, split_part(traceparent, '-', 2) as trace_id, matches, examined::int
from (select *, row_number() over (order by event_id desc) as examined,
    matches_filter($1::text, $2::text, $3::text, $4::text, $5::text, $6::int, $7::timestamptz, $8::timestamptz,
      status, event_type, payload ->> 'user_id', last_error, error_fingerprint, attempt_count, created_at) as matches
  from looked) m
where matches or examined = $11::int
order by m.event_id desc limit $10::int
