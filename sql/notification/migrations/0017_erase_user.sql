-- Whether the bytes of a message have the id. A long one may stand anywhere. A shorter one is looked for as a whole word, because it may be a part of
-- somebody else's: in a message its length stands before it, which is no letter up to 31. A zero byte ends a word, a byte above 127 belongs to one.
create function names_user(data bytea, user_id text) returns boolean language sql immutable parallel safe
  return position(convert_to(user_id, 'UTF8') in data) > 0 and (octet_length(user_id) > 31 or
    replace(encode(data, 'escape'), '\000', ' ') ~ ('(?<![A-Za-z0-9_@.+:-])' || regexp_replace(encode(convert_to(user_id, 'UTF8'), 'escape'), '([^A-Za-z0-9_])', '\\\1', 'g')
      || '(?![A-Za-z0-9_@+-]|[.][A-Za-z0-9_]|\\[23])'));

-- One step of an erasure. The caller removes the user's messages from the streams, and notes in `progress` that it has searched them. All notifications of the user change in one transaction, so
-- that the feed has no gap at any moment, and with them the notices of the players they met; then the tables without an index by user, a batch at a time.
-- Nothing changes while a notification is on its way, or while an unreadable message of the user waits for an operator. Returns whether there is more to
-- do now.
create function erase_user(wanted text, batch int) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare e erasures; name text; mine uuid[]; events uuid[]; peers text[]; open int; letters uuid[]; waits text[] := '{}'; moved int; counted boolean;
begin
  select * into e from erasures where pseudonym = wanted and state = 'WORKING' for update;
  if not found then return false; end if;
  perform from notifications where user_id = e.user_id order by notification_id for update;
  -- From here on nothing gets a place in the feed, which would be left without its counter. What has got one meanwhile is seen below.
  perform from inbox_positions where user_id = e.user_id for update;
  counted := found;
  select count(*) into open from notifications where user_id = e.user_id and status in ('PENDING', 'PROCESSING');
  -- Raw dead letters are few. Their bytes are those of a message, so the id stands in them as it is.
  letters := array(select id from notification_nats_dlq
    where reprocessed_at is null and (names_user(data, e.user_id) or scrub(headers, e.user_id, e.emails, wanted) <> headers) order by id);
  if open > 0 then waits := waits || format('%s notification(s) that are being sent', open); end if;
  if letters <> '{}' then
    waits := waits || format('%s unreadable message(s), such as %s: reprocess or discard them on the page Failures', cardinality(letters), letters[1]);
  end if;
  update erasures set waiting_for = waits, updated_at = clock_timestamp() where pseudonym = wanted;
  if waits <> '{}' then return false; end if;

  if e.progress ? 'name' and not has_user(e.user_id) then
    return coalesce((e.progress ->> 'searched')::boolean, false) and erase_user_elsewhere(wanted, batch);
  end if;

  -- Data that came after a first end of this erasure gets a name of its own: positions of a feed begin at 1 again.
  name := e.pseudonym;
  if has_user(e.user_id) then
    while has_user(name) loop name := e.pseudonym || '.' || coalesce(nullif(split_part(name, '.', 2), '')::int + 1, 2); end loop;
  end if;
  mine := array(select notification_id from notifications where user_id = e.user_id);
  events := array(select event_id from notifications where user_id = e.user_id);
  peers := array(select distinct jsonb_array_elements_text(payload -> 'peer_user_ids') from notifications
    where user_id = e.user_id and jsonb_typeof(payload -> 'peer_user_ids') = 'array');
  -- The notices of the other players: found by the user's own, or by their requests to join if those were discarded.
  update notifications set payload = scrub(payload, e.user_id, e.emails, name)
  where (user_id = any (peers) or event_id = any (array(select event_id from announced_joins where e.user_id = any (peer_user_ids))))
    and payload -> 'peer_user_ids' ? e.user_id;
  update notification_dlq set payload = scrub(payload, e.user_id, e.emails, name)
  where notification_id = any (array(select notification_id from notifications where user_id = any (peers))) and payload -> 'peer_user_ids' ? e.user_id;
  update processed_events set aggregate_key = scrub_field('aggregate_key', aggregate_key, e.user_id, e.emails, name) where event_id = any (events);
  update notification_attempts set error = scrub(error, e.user_id, e.emails, name) where notification_id = any (mine) and error is not null;
  update notification_dlq set user_id = name, payload = scrub(payload, e.user_id, e.emails, name), reason = scrub(reason, e.user_id, e.emails, name)
  where notification_id = any (mine);
  update notifications set user_id = name, payload = scrub(payload, e.user_id, e.emails, name), last_error = scrub(last_error, e.user_id, e.emails, name),
    aggregate_key = scrub_field('aggregate_key', aggregate_key, e.user_id, e.emails, name)
  where notification_id = any (mine);
  update inbox_positions set user_id = name where user_id = e.user_id;
  get diagnostics moved = row_count;
  if moved > 0 and not counted then raise exception 'the first notification of a feed came during its erasure; the next step erases it' using errcode = '40001'; end if;
  perform count_erased(wanted, 'notifications', cardinality(mine)), count_erased(wanted, 'inbox_positions', moved);
  -- The walks come after the last notification, and so does the search of the streams: an event that came late has a message, too.
  update erasures set progress = jsonb_build_object('name', name, 'streams', e.progress -> 'streams') where pseudonym = wanted;
  return true;
end $$;

-- The tables without an index by user, a batch at a time.
create function erase_user_elsewhere(wanted text, batch int) returns boolean language plpgsql as $$
declare e erasures; name text;
begin
  select * into strict e from erasures where pseudonym = wanted;
  name := case when starts_with(e.progress ->> 'name', wanted) then e.progress ->> 'name' else wanted end;      -- the app role may change progress
  -- Of an unreadable message that was reprocessed only that it came is kept.
  update notification_nats_dlq set data = '', headers = '{}', reason = scrub(reason, e.user_id, e.emails, name)
  where data <> '' and reprocessed_at is not null and (names_user(data, e.user_id) or scrub(headers, e.user_id, e.emails, name) <> headers);
  -- The audit of a discarded one has its first bytes, in hexadecimal digits.
  if not e.progress ? 'operator_actions' then
    update operator_actions set detail = detail - 'payload' where action = 'raw_dead_letter.discard'
      and (names_user(decode(detail #>> '{payload,data}', 'hex'), e.user_id)
        or scrub(detail #> '{payload,headers}', e.user_id, e.emails, name) <> detail #> '{payload,headers}');
  end if;
  if scrub_tables(wanted, array['announced_joins', 'newest_versions', 'processed_events', 'processed_messages', 'paused_roles', 'operations',
    'notification_nats_dlq', 'notification_dlq', 'operator_actions'], batch, name) then return true; end if;
  perform end_erasure(wanted);
  return false;
end $$;

-- Whether there is data of a user. Also asked after the end of an erasure: then it begins again.
create function has_user(wanted text) returns boolean language sql stable
  return exists (select from notifications where user_id = wanted) or exists (select from inbox_positions where user_id = wanted);

revoke execute on function erase_user, erase_user_elsewhere, names_user from public;
grant execute on function erase_user, has_user to :"app";
