-- The operators' filter, written once for every queue table: whether a row with these values matches. A null field of the filter matches every row.
-- RETRYING rows are PENDING rows with a failed attempt. PostgreSQL inlines the function, because it is one expression: it costs no call, and the
-- last error, which a caller may look up, is looked up only if the filter asks for it.
create function matches_filter(
  wanted_status text, wanted_type text, wanted_user_id text, wanted_error text, wanted_fingerprint text, wanted_attempts int,
  created_from timestamptz, created_to timestamptz,
  status text, type text, user_id text, last_error text, error_fingerprint text, attempt_count int, created_at timestamptz)
returns boolean language sql immutable parallel safe
  return coalesce((wanted_status is null or status = wanted_status or wanted_status = 'RETRYING' and status = 'PENDING' and attempt_count > 0)
    and (wanted_type is null or type = wanted_type)
    and (wanted_user_id is null or user_id = wanted_user_id)
    and (wanted_fingerprint is null or error_fingerprint = wanted_fingerprint)
    and (wanted_attempts is null or attempt_count >= wanted_attempts)
    and (created_from is null or created_at >= created_from)
    and (created_to is null or created_at < created_to)
    and (wanted_error is null or position(lower(wanted_error) in lower(last_error)) > 0), false);

-- Ids are UUIDs of version 7, so a span of creation times is a range of ids; it is a minute wider at both ends. Not inlined: call it once a statement.
create function lowest_id(created_from timestamptz) returns uuid language sql volatile
  return case when created_from is null then '00000000-0000-0000-0000-000000000000'::uuid
    else uuidv7(greatest(created_from, '1970-01-02Z') - clock_timestamp() - interval '1 minute') end;
create function highest_id(created_to timestamptz) returns uuid language sql volatile
  return case when created_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    else uuidv7(greatest(created_to, '1970-01-02Z') - clock_timestamp() + interval '1 minute') end;

grant execute on function matches_filter(text, text, text, text, text, int, timestamptz, timestamptz, text, text, text, text, text, int, timestamptz) to :"app";
grant execute on function lowest_id(timestamptz), highest_id(timestamptz) to :"app";
