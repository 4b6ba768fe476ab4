-- What operators granted and revoked. They are named in the audit of other users.
create index entitlement_audit_operator on entitlement_audit (client_id) where client_id like 'user:%';

-- One step of an erasure: at most `batch` pairs of (user, sku), each as a whole, so that entitlement, audit and outbox agree at every moment; then the
-- tables without an index by user, a batch at a time. A pair waits while one of its events is not known to be consumed: the message that is under way
-- has the user's id. Returns whether there is more to do now.
create function erase_user(wanted text, batch int) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare e erasures; sku text; pair text; name text; events uuid[]; waits text[] := '{}'; masked int := 0; seen int := 0; open int; failed uuid[];
begin
  select * into e from erasures where pseudonym = wanted and state = 'WORKING' for update;
  if not found then return false; end if;
  -- In the order in which grants lock pairs.
  for sku in select stock_keeping_unit from entitlements where user_id = e.user_id order by user_id, stock_keeping_unit limit batch for update loop
    seen := seen + 1;
    pair := e.user_id || ':' || sku;
    events := array(select event_id from entitlement_audit where user_id = e.user_id and stock_keeping_unit = sku);
    failed := array(select event_id from outbox_events where status = 'FAILED' and aggregate_key collate "C" = pair);
    select count(*) into open from (
      select from outbox_events where aggregate_key = pair and status in ('PENDING', 'IN_FLIGHT')
      union all select from outbox_events where event_id = any (events) and status = 'PUBLISHED' and confirmed_at is null) o;
    if open > 0 then waits := waits || format('%s event(s) of one pair that are not confirmed yet', open); end if;
    if failed <> '{}' then
      waits := waits || format('%s FAILED event(s), such as %s: requeue or discard them on the page Failures', cardinality(failed), failed[1]);
    end if;
    continue when open > 0 or failed <> '{}';
    -- Data that came after a first end of this erasure gets a name of its own: versions of a pair begin at 1 again.
    name := e.pseudonym;
    while exists (select from entitlements where user_id = name and stock_keeping_unit = sku) loop
      name := e.pseudonym || '.' || coalesce(nullif(split_part(name, '.', 2), '')::int + 1, 2);
    end loop;
    update entitlements set user_id = name, source = scrub(source, e.user_id, e.emails, name), source_id = scrub(source_id, e.user_id, e.emails, name)
    where user_id = e.user_id and stock_keeping_unit = sku;
    update entitlement_audit set user_id = name, detail = scrub(detail, e.user_id, e.emails, name)
    where user_id = e.user_id and stock_keeping_unit = sku;
    perform count_erased(wanted, 'entitlement_audit', cardinality(events));
    update outbox_events set aggregate_key = name || ':' || sku, payload = jsonb_set(scrub(payload, e.user_id, e.emails, name), '{user_id}', to_jsonb(name)),
      last_error = scrub(last_error, e.user_id, e.emails, name) where event_id = any (events);
    perform count_erased(wanted, 'outbox_events', cardinality(events));
    masked := masked + 1;
  end loop;
  perform count_erased(wanted, 'entitlements', masked);
  update erasures set waiting_for = array(select distinct unnest(waits)), updated_at = clock_timestamp() where pseudonym = wanted;
  if masked > 0 then
    update erasures set progress = '{}' where pseudonym = wanted;         -- the walks come after the last pair
    return true;
  end if;
  if seen > 0 then return false; end if;
  update entitlement_audit a set client_id = 'user:' || wanted from (
    select user_id, stock_keeping_unit, version, at from entitlement_audit where client_id like 'user:%' and client_id = 'user:' || e.user_id limit batch) done
  where (a.user_id, a.stock_keeping_unit, a.version, a.at) = (done.user_id, done.stock_keeping_unit, done.version, done.at);
  get diagnostics masked = row_count;
  perform count_erased(wanted, 'entitlement_audit', masked);
  if masked > 0 then return true; end if;
  -- An event and a stored response are the user's if they say so. The key itself stays until it expires: without it a client's retry would be executed
  -- again. Without the hash no request is the same, so a retry is refused.
  if scrub_tables(wanted, array['outbox_events', 'idempotency_keys', 'paused_roles', 'operations', 'operator_actions'], batch, wanted, jsonb_build_object(
    'outbox_events', jsonb_build_object('where', 't.payload ->> ''user_id'' = $3'),
    'idempotency_keys', jsonb_build_object(
      'where', 't.client_id = ''user:'' || $3 or is_response_of(t.response_code, t.response_body, $3)',
      'set', 'client_id = scrub_field(''client_id'', t.client_id, $3, $4, $5),
        request_hash = case when is_response_of(t.response_code, t.response_body, $3) then ''erased'' else t.request_hash end,
        response_body = case when is_response_of(t.response_code, t.response_body, $3) then scrub_field('''', t.response_body::jsonb, $3, $4, $5)::text else t.response_body end')))
  then return true; end if;
  -- A grant may have come meanwhile.
  if not has_user(e.user_id) then perform end_erasure(wanted); end if;
  return has_user(e.user_id);
end $$;

-- A response to a refused change names nobody.
create function is_response_of(code int, body text, wanted text) returns boolean language sql immutable parallel safe
  return case when code = 200 then body::jsonb ->> 'user_id' = wanted else false end;

-- Whether there is data of a user. Also asked after the end of an erasure: then it begins again.
create function has_user(wanted text) returns boolean language sql stable
  return exists (select from entitlements where user_id = wanted);

revoke execute on function erase_user, is_response_of from public;
grant execute on function erase_user, has_user to :"app";
