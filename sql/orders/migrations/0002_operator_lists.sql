-- What the operators' lists of orders need: the type as a column, an index for every order of a list, and the rows of a bulk action.
alter table outbox_orders add column order_type text generated always as (order_request_json ->> 'order_type') stored;

create function note_update() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  new.unknown_since := case when new.outcome_unknown then coalesce(new.unknown_since, clock_timestamp()) end;
  return new;
end $$;
create trigger outbox_orders_updated before update on outbox_orders for each row execute function note_update();

create index outbox_orders_waiting on outbox_orders (next_attempt_at, order_id) where status = 'pending';
create index outbox_orders_done on outbox_orders (settled_at) where status = 'succeeded';
-- Orders that failed and wait for their next attempt, by their last failure, of all and of one code.
create index outbox_orders_retrying on outbox_orders (failed_at, order_id) where status = 'failed';
create index outbox_orders_retrying_code on outbox_orders (last_error_code, failed_at, order_id) include (order_type, attempts, created_at, next_attempt_at)
  where status = 'failed';
-- Aborted orders: by age, by their last failure and by attempts, of all and of one code.
create index outbox_orders_aborted on outbox_orders (order_id) include (order_type, attempts, created_at, last_error_code) where status = 'aborted';
create index outbox_orders_aborted_code on outbox_orders (last_error_code, order_id) include (order_type, attempts, created_at, failed_at) where status = 'aborted';
create index outbox_orders_aborted_at on outbox_orders (failed_at, order_id) where status = 'aborted';
create index outbox_orders_aborted_code_at on outbox_orders (last_error_code, failed_at, order_id) include (order_type, attempts, created_at) where status = 'aborted';
create index outbox_orders_attention on outbox_orders (order_id) where status = 'aborted' and last_error_code not in ('CANCELLED', 'EXPIRED', 'RESOLVED_FAILED');
create index outbox_orders_aborted_attempts on outbox_orders (attempts, order_id) where status = 'aborted';

-- Whether an operator may requeue an order. A cancelled or expired one is never sent.
create function order_is_requeueable(status text, last_error_code text) returns boolean language sql immutable parallel safe
  return status = 'aborted' and coalesce(last_error_code, '') not in ('CANCELLED', 'EXPIRED');

-- The orders that a bulk action changes, by the filter of the lists: aborted ones (those that may be requeued, if it requeues), or to retry those that
-- failed before and wait.
-- The preview and the start of an operation both call it. PostgreSQL inlines it, and each branch walks its index (by the client, by the code, or all of
-- the state) or nothing.
create function order_bulk_rows(
  action text, wanted_status text, wanted_type text, wanted_user_id text, wanted_error text, wanted_fingerprint text, wanted_attempts int,
  created_from timestamptz, created_to timestamptz)
returns setof uuid language sql stable parallel safe as $$
  select order_id from outbox_orders where action <> 'retry' and coalesce(wanted_status, 'aborted') = 'aborted' and status = 'aborted'
    and client_id = wanted_user_id and (action = 'discard' or order_is_requeueable(status, last_error_code))
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, order_type, client_id, last_error_msg, last_error_code, attempts, created_at)
  union all
  select order_id from outbox_orders where action <> 'retry' and coalesce(wanted_status, 'aborted') = 'aborted' and status = 'aborted'
    and wanted_user_id is null and last_error_code = wanted_fingerprint and (action = 'discard' or order_is_requeueable(status, last_error_code))
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, order_type, client_id, last_error_msg, last_error_code, attempts, created_at)
  union all
  select order_id from outbox_orders where action <> 'retry' and coalesce(wanted_status, 'aborted') = 'aborted' and status = 'aborted'
    and wanted_user_id is null and wanted_fingerprint is null and (action = 'discard' or order_is_requeueable(status, last_error_code))
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, order_type, client_id, last_error_msg, last_error_code, attempts, created_at)
  union all
  select order_id from outbox_orders where action = 'retry' and coalesce(wanted_status, 'failed') = 'failed' and status = 'failed'
    and last_error_code = wanted_fingerprint
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, order_type, client_id, last_error_msg, last_error_code, attempts, created_at)
  union all
  select order_id from outbox_orders where action = 'retry' and coalesce(wanted_status, 'failed') = 'failed' and status = 'failed'
    and wanted_fingerprint is null
    and matches_filter(wanted_status, wanted_type, wanted_user_id, wanted_error, wanted_fingerprint, wanted_attempts, created_from,
      created_to, status, order_type, client_id, last_error_msg, last_error_code, attempts, created_at)
$$;
grant execute on function order_is_requeueable(text, text) to :"app";
grant execute on function order_bulk_rows(text, text, text, text, text, text, int, timestamptz, timestamptz) to :"app";
