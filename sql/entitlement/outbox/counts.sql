-- How many events match a filter, by status, all at one moment. Counts up to $9 of each, and looks at no more than $10 of those that an index
-- leads to, newest first, and at no more than $11 FAILED ones for a part of their error; beyond that there are more, or may be.
-- $1 status: those asked for; UNCONFIRMED are those PUBLISHED that notification is not known to hold
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?
-- $8 created_to?: this moment is no longer in it
-- $9 most
-- $10 scan
-- $11 sparse_scan
-- returns status, count, more
with reach as materialized (                                              -- ids are v7: a time is a range of them, a minute wider at both ends
  select case when $7::timestamptz is null then '00000000-0000-0000-0000-000000000000'::uuid
      else uuidv7(greatest($7::timestamptz, '1970-01-02Z') - clock_timestamp() - interval '1 minute') end as low,
    least('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, case when $8::timestamptz is not null
      then uuidv7(greatest($8::timestamptz, '1970-01-02Z') - clock_timestamp() + interval '1 minute') end) as high
), mine as materialized (                                               -- a user's
  select e.* from (                                                       -- by the audit, and those FAILED that outlived it
    select event_id from entitlement_audit where user_id = $3::text
    union select event_id from outbox_events where status = 'FAILED'
      and aggregate_key collate "C" >= $3::text || ':' and aggregate_key collate "C" < $3::text || ';'
    order by event_id desc limit $10::int) c, lateral (select * from outbox_events o where o.event_id = c.event_id limit 1) e
  where payload ->> 'user_id' = $3::text
), asked as materialized (
  select status, $3::text is null and coalesce($2, $4, $5)::text is null and $6::int is null and coalesce($7, $8)::timestamptz is null as everything,
    coalesce($7, $8)::timestamptz is not null as of_a_time from unnest($1::text[]) as s(status)
), backlog as materialized (                                              -- those under way may be more than are looked at
  select status, case
    when $3::text is not null or everything then false
    when s.status = 'PENDING' then exists (select from outbox_events where status = 'PENDING' order by next_retry_at offset $10::int limit 1)
    when s.status = 'IN_FLIGHT' then exists (select from outbox_events where status = 'IN_FLIGHT' order by lease_until offset $10::int limit 1)
    when s.status = 'UNCONFIRMED' then exists (select from outbox_events where status = 'PUBLISHED' and confirmed_at is null order by published_at, event_id offset $10::int limit 1)
    else false end as is_long
  from asked s
), counted as materialized (                                              -- each case is one index range, and no other is read
  select s.status, of_a_time, is_long, case
    when $3::text is not null then (select count(*) from mine where (status = s.status or s.status = 'UNCONFIRMED' and status = 'PUBLISHED' and confirmed_at is null)
      and ($2::text is null or event_type = $2::text) and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
      and ($5::text is null or error_fingerprint = $5::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz))
    when s.status = 'FAILED' and $4::text is null and $5::text is null then (select count(*) from (select from (
      select event_type, attempt_count, created_at from outbox_events where status = 'FAILED' and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $10::int) p where ($2::text is null or event_type = $2::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz) limit $9::int + 1) p)
    when s.status = 'FAILED' and $4::text is null then (select count(*) from (select from (
      select event_type, attempt_count, created_at from outbox_events where status = 'FAILED' and error_fingerprint = $5::text and event_id >= (select low from reach) and event_id < (select high from reach)
      order by event_id desc limit $10::int) p where ($2::text is null or event_type = $2::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz) limit $9::int + 1) p)
    when s.status = 'FAILED' and $5::text is null then (select count(*) from (
      select * from outbox_events where status = 'FAILED' and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $11::int) p where ($2::text is null or event_type = $2::text) and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
      and ($5::text is null or error_fingerprint = $5::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz))
    when s.status = 'FAILED' then (select count(*) from (
      select * from outbox_events where status = 'FAILED' and error_fingerprint = $5::text and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $11::int) p where ($2::text is null or event_type = $2::text) and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
      and ($5::text is null or error_fingerprint = $5::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz))
    when s.status = 'PENDING' and everything then (select count(*) from (select from outbox_events where status = 'PENDING' limit $9::int + 1) p)
    when s.status = 'IN_FLIGHT' and everything then (select count(*) from (select from outbox_events where status = 'IN_FLIGHT' limit $9::int + 1) p)
    when s.status = 'UNCONFIRMED' and everything then (select count(*) from (select from outbox_events where status = 'PUBLISHED' and confirmed_at is null limit $9::int + 1) p)
    when s.status = 'PUBLISHED' or of_a_time and is_long then (select count(*) from (select from (
      select * from outbox_events where event_id >= (select low from reach) and event_id < (select high from reach) order by event_id desc limit $10::int) p where (status = s.status or s.status = 'UNCONFIRMED' and status = 'PUBLISHED' and confirmed_at is null)
      and ($2::text is null or event_type = $2::text) and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
      and ($5::text is null or error_fingerprint = $5::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz) limit $9::int + 1) p)
    when s.status = 'PENDING' then (select count(*) from (select * from outbox_events where status = 'PENDING' order by next_retry_at limit $10::int) p where ($2::text is null or event_type = $2::text) and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
      and ($5::text is null or error_fingerprint = $5::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz))
    when s.status = 'IN_FLIGHT' then (select count(*) from (select * from outbox_events where status = 'IN_FLIGHT' order by lease_until limit $10::int) p where ($2::text is null or event_type = $2::text) and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
      and ($5::text is null or error_fingerprint = $5::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz))
    when s.status = 'UNCONFIRMED' then (select count(*) from (select * from outbox_events where status = 'PUBLISHED' and confirmed_at is null order by published_at, event_id limit $10::int) p where ($2::text is null or event_type = $2::text) and ($4::text is null or position(lower($4::text) in lower(last_error)) > 0)
      and ($5::text is null or error_fingerprint = $5::text) and ($6::int is null or attempt_count >= $6::int)
      and ($7::timestamptz is null or created_at >= $7::timestamptz) and ($8::timestamptz is null or created_at < $8::timestamptz))
  end as found
  from asked s join backlog using (status)
)
select s.status, least(found, $9::int)::int as count, found > $9::int or case
    when $3::text is not null then (select count(*) from mine) >= $10::int
    when s.status = 'FAILED' and $4::text is null and $5::text is null then exists (select from outbox_events where status = 'FAILED' and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id offset $10::int limit 1)
    when s.status = 'FAILED' and $4::text is null then exists (select from outbox_events where status = 'FAILED' and error_fingerprint = $5::text and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id offset $10::int limit 1)
    when s.status = 'FAILED' and $5::text is null then exists (select from outbox_events where status = 'FAILED' and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id offset $11::int limit 1)
    when s.status = 'FAILED' then exists (select from outbox_events where status = 'FAILED' and error_fingerprint = $5::text and event_id >= (select low from reach) and event_id < (select high from reach) order by event_id offset $11::int limit 1)
    when s.status = 'PUBLISHED' or of_a_time and is_long then exists (select from outbox_events where event_id >= (select low from reach) and event_id < (select high from reach) order by event_id offset $10::int limit 1)
    else is_long end as more
from counted s
