-- What a bulk action would find: FAILED events are eligible, the others are counted by their status. Changes nothing.
-- $1 status?
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in upper or lower case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?
-- $8 created_to?: not itself
-- returns eligible, ineligible, set_hash, sample
with eligible as materialized (
  select event_id from outbox_events
  where status = 'FAILED' and ($1::text is null or $1 = 'FAILED')
    and ($2::text is null or event_type = $2)
    and ($3::text is null or (starts_with(aggregate_key, $3 || ':') and payload ->> 'user_id' = $3))
    and ($4::text is null or strpos(lower(last_error), lower($4)) > 0)
    and ($5::text is null or fingerprint(last_error) = $5)
    and ($6::int is null or attempt_count >= $6)
    and ($7::timestamptz is null or created_at >= $7) and ($8::timestamptz is null or created_at < $8)
), ineligible as (
  select status, count(*)::int as count from outbox_events
  where $1::text is distinct from 'FAILED' and status <> 'FAILED' and ($1::text is null or status = $1)   -- asked for FAILED ones, nothing is read here
    and ($2::text is null or event_type = $2)
    and ($3::text is null or (starts_with(aggregate_key, $3 || ':') and payload ->> 'user_id' = $3))
    and ($4::text is null or strpos(lower(last_error), lower($4)) > 0)
    and ($5::text is null or fingerprint(last_error) = $5)
    and ($6::int is null or attempt_count >= $6)
    and ($7::timestamptz is null or created_at >= $7) and ($8::timestamptz is null or created_at < $8)
  group by status
)
select (select count(*)::int from eligible) as eligible,
  (select coalesce(jsonb_object_agg(status, count), '{}') from ineligible) as ineligible,
  set_hash(array(select event_id from eligible order by event_id)) as set_hash,
  array(select event_id from eligible order by event_id desc limit 5) as sample
