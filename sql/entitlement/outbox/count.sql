-- How many events of a status match a filter. Counts up to $9 and looks at no more than $10 of those that an index leads to,
-- newest first; beyond that there are more, or may be.
-- $1 status: or UNCONFIRMED, those PUBLISHED that notification is not known to hold
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?
-- $8 created_to?: this moment is no longer in it
-- $9 most
-- $10 scan
-- returns count, more
with reach as materialized (                                              -- ids are v7: a time is a range of them, a minute wider at both ends
  select case when $7::timestamptz is null then '00000000-0000-0000-0000-000000000000'::uuid
      else uuidv7(greatest($7::timestamptz, '1970-01-02Z') - clock_timestamp() - interval '1 minute') end as low,
    least('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, case when $8::timestamptz is not null
      then uuidv7(greatest($8::timestamptz, '1970-01-02Z') - clock_timestamp() + interval '1 minute') end) as high
), few as materialized (                                                  -- led to by other indexes; if they are too many, those of a time are looked up by id
  (select event_id from outbox_events where $1::text = 'PENDING' and $3::text is null and status = 'PENDING' order by next_retry_at limit $10::int + 1)
  union all
  (select event_id from outbox_events where $1::text = 'IN_FLIGHT' and $3::text is null and status = 'IN_FLIGHT' order by lease_until limit $10::int + 1)
  union all
  (select event_id from outbox_events where $1::text = 'UNCONFIRMED' and $3::text is null and status = 'PUBLISHED' and confirmed_at is null
   order by published_at, event_id limit $10::int + 1)
  union all
  (select event_id from entitlement_audit where user_id = $3::text        -- a user's: by the audit, and those FAILED that outlived it
   union select event_id from outbox_events where status = 'FAILED'
     and aggregate_key collate "C" >= $3::text || ':' and aggregate_key collate "C" < $3::text || ';')
), seen as materialized (
  select event_id from (                                                  -- an order and a limit each: index ranges under every plan
    (select event_id from outbox_events where $1::text = 'FAILED' and $3::text is null and $5::text is null and status = 'FAILED'
      and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $10::int + 1)
    union all
    (select event_id from outbox_events where $1::text = 'FAILED' and $3::text is null and status = 'FAILED' and fingerprint(last_error) = $5::text
      and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $10::int + 1)
    union all
    (select event_id from few where ($3::text is not null or coalesce($7, $8)::timestamptz is null or (select count(*) from few) <= $10::int)
      and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $10::int + 1)
    union all
    (select event_id from outbox_events where $3::text is null
      and ($1::text = 'PUBLISHED' or coalesce($7, $8)::timestamptz is not null and (select count(*) from few) > $10::int)
      and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $10::int + 1)
  ) c order by event_id desc limit $10::int + 1
), found as materialized (
  select from seen, lateral (select * from outbox_events o where o.event_id = seen.event_id limit 1) e
  where (status = $1::text or ($1::text = 'UNCONFIRMED' and status = 'PUBLISHED' and confirmed_at is null)) and ($2::text is null or event_type = $2::text)
    and ($3::text is null or payload ->> 'user_id' = $3::text)
    and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
    and ($5::text is null or fingerprint(last_error) = $5::text)
    and ($6::int is null or attempt_count >= $6::int)
    and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz)
  limit $9::int + 1
)
select least((select count(*) from found), $9::int)::int as count,
  (select count(*) from found) > $9::int or (select count(*) from seen) > $10::int as more
