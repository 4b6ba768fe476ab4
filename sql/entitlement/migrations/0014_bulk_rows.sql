-- The events that a bulk action changes, by the filter of the lists: FAILED ones, or to retry those that failed before and wait. The preview and the
-- start of an operation both call it. PostgreSQL inlines it, and each branch walks its index (by the user, by the fingerprint, or all of the state)
-- or nothing.
create function outbox_bulk_rows(
  action text, wanted_status text, wanted_type text, wanted_user_id text, wanted_error text, wanted_fingerprint text, wanted_attempts int,
  created_from timestamptz, created_to timestamptz)
returns setof uuid language sql stable parallel safe as $$
  select event_id from outbox_events where action <> 'retry' and coalesce(wanted_status, 'FAILED') = 'FAILED' and status = 'FAILED'
    and wanted_user_id is not null and aggregate_key collate "C" >= wanted_user_id || ':' and aggregate_key collate "C" < wanted_user_id || ';'
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, event_type, payload ->> 'user_id', last_error, error_fingerprint, attempt_count, created_at)
  union all
  select event_id from outbox_events where action <> 'retry' and coalesce(wanted_status, 'FAILED') = 'FAILED' and status = 'FAILED'
    and wanted_user_id is null and error_fingerprint = wanted_fingerprint
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, event_type, payload ->> 'user_id', last_error, error_fingerprint, attempt_count, created_at)
  union all
  select event_id from outbox_events where action <> 'retry' and coalesce(wanted_status, 'FAILED') = 'FAILED' and status = 'FAILED'
    and wanted_user_id is null and wanted_fingerprint is null
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, event_type, payload ->> 'user_id', last_error, error_fingerprint, attempt_count, created_at)
  union all
  select event_id from outbox_events where action = 'retry' and coalesce(wanted_status, 'PENDING') in ('PENDING', 'RETRYING') and status = 'PENDING' and attempt_count > 0
    and error_fingerprint = wanted_fingerprint
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, event_type, payload ->> 'user_id', last_error, error_fingerprint, attempt_count, created_at)
  union all
  select event_id from outbox_events where action = 'retry' and coalesce(wanted_status, 'PENDING') in ('PENDING', 'RETRYING') and status = 'PENDING' and attempt_count > 0
    and wanted_fingerprint is null
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, event_type, payload ->> 'user_id', last_error, error_fingerprint, attempt_count, created_at)
$$;
grant execute on function outbox_bulk_rows(text, text, text, text, text, text, int, timestamptz, timestamptz) to :"app";
