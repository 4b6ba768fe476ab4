-- Erasing a user. Every id of the user becomes one pseudonym, the same in every system, so that rows still join and counts and versions still hold.
-- The user id and the e-mail addresses stand here only until the system is done.
-- The app role may not change the audit. erase_user, which each system's migrations define, may: it runs as the owner of the tables, and works only on
-- behalf of a row of this table. A trigger writes the operator_actions row of every erasure that begins, whoever begins it; no erasure changes its action
-- and subject.

-- Words that are no addresses must not be taken out of the audit.
create function are_addresses(given text[]) returns boolean language sql immutable parallel safe
  return (select coalesce(bool_and(one ~ '^[^ \t\n\r\f\v]+@[^ \t\n\r\f\v]+$' and char_length(one) <= 320), true) from unnest(given) one);

create table erasures (
  pseudonym text primary key check (pseudonym ~ '^erased-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'),
  user_id text check (char_length(user_id) between 1 and 200),
  emails text[] check (are_addresses(emails)),
  requested_by text not null, reason text not null,
  state text not null default 'WORKING' check (state in ('WORKING', 'DONE')),
  waiting_for text[] not null default '{}',                               -- what must end first, for people
  progress jsonb not null default '{}',                                   -- how far each walk through a table or stream is
  changed jsonb not null default '{}',                                    -- rows by table
  requested_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),              -- the last step
  done_at timestamptz,
  check ((state = 'DONE') = (done_at is not null)),
  check ((state = 'DONE') = (user_id is null)),
  check ((user_id is null) = (emails is null))
);
create unique index erasures_open on erasures (user_id) where user_id is not null;
grant select, insert (pseudonym, user_id, emails, requested_by, reason), update (waiting_for, progress, updated_at) on erasures to :"app";
grant execute on function are_addresses to :"app";

create function note_erasure() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into operator_actions (actor, action, subject, reason) values (new.requested_by, 'user.erase', new.pseudonym, new.reason);
  return null;
end $$;
create trigger erasures_begun after insert on erasures for each row execute function note_erasure();
create trigger erasures_begun_again after update on erasures for each row when (old.user_id is null and new.user_id is not null) execute function note_erasure();

-- Begins an erasure again, if data of the user came after its end.
create function erase_again(wanted text, whose text, addresses text[]) returns setof erasures language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query update erasures set state = 'WORKING', done_at = null, user_id = whose, emails = addresses, updated_at = clock_timestamp()
    where pseudonym = wanted and state = 'DONE' and has_user(whose) returning *;
end $$;
revoke execute on function note_erasure, erase_again from public;
grant execute on function erase_again to :"app";

create function is_uuid(given text) returns boolean language sql immutable parallel safe
  return given ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

-- A free text without the user: the id becomes the pseudonym, an e-mail address becomes "erased". A UUID is replaced wherever it stands, in upper and lower
-- case; another id or address only as a whole word, because it may be a part of somebody else's. In "bob:42" the 42 is no word: it may be an item of bob.
create function scrub(given text, user_id text, emails text[], pseudonym text) returns text language plpgsql immutable parallel safe as $$
declare
  before_word constant text := '(?<![[:alnum:]_@.+-])';
  after_word constant text := '(?![[:alnum:]_@+-]|[.][[:alnum:]_])';
  special constant text := '([^[:alnum:]_])';
  email text;
begin
  if position(lower(user_id) in lower(given)) = 0 then null;
  elsif is_uuid(user_id) then
    given := regexp_replace(given, user_id, pseudonym, 'gi');
  else
    given := regexp_replace(given, '((?<=\muser:)|(?<=\muser_id:)|(?<!:)' || before_word || ')' || regexp_replace(user_id, special, '\\\1', 'g') || after_word,
      pseudonym, 'g');
  end if;
  foreach email in array emails loop
    if position(lower(email) in lower(given)) > 0 then
      given := regexp_replace(given, before_word || regexp_replace(email, special, '\\\1', 'g') || after_word, 'erased', 'gi');
    end if;
  end loop;
  return given;
end $$;

-- The same for a column, or a field in JSON. Its name says what the text is. Ids, aggregate keys and actors are compared as a whole, because a part of one
-- may be another user or an item; elsewhere only a UUID is sure to mean the user.
create function scrub_field(field text, given text, user_id text, emails text[], pseudonym text) returns text language sql immutable parallel safe
  return case
    when field = 'action' or field = 'subject' and starts_with(given, 'erased-') then given
    when field in ('user_id', 'peer_user_ids') then case when given = user_id then pseudonym else given end
    -- <user_id>:<sku>, and a sku has no colon; or match:<match_id>:<user_id>
    when field = 'aggregate_key' then case
      when regexp_replace(given, ':[^:]*$', '') = user_id and position(':' in given) > 0 then pseudonym || substr(given, char_length(user_id) + 1)
      when given ~ '^match:[0-9a-f-]{36}:' and substr(given, 44) = user_id then left(given, 43) || pseudonym else given end
    when field in ('actor', 'client_id', 'requested_by', 'paused_by', 'requeued_by', 'cancelled_by') and given = 'user:' || user_id then 'user:' || pseudonym
    when is_uuid(user_id) or field in ('reason', 'last_error', 'error', 'note', 'source', 'source_id', 'purchase_id', 'idem_key', 'paused_because',
      'requeue_reason') then scrub(given, user_id, emails, pseudonym)
    when cardinality(emails) > 0 then scrub(given, emails[1], emails, 'erased')
    else given end;

-- A word as it stands in JSON, where characters may be escaped.
create function json_word(given text) returns text language sql immutable parallel safe
  return lower(substr(to_json(given)::text, 2, char_length(to_json(given)::text) - 2));

-- In JSON only texts change: keys and numbers stay.
create function scrub_field(field text, given jsonb, user_id text, emails text[], pseudonym text) returns jsonb language plpgsql immutable parallel safe as $$
begin
  if not exists (select from unnest(emails || user_id) word where position(json_word(word) in lower(given::text)) > 0) then return given; end if;
  return case jsonb_typeof(given)
    when 'string' then to_jsonb(scrub_field(field, given #>> '{}', user_id, emails, pseudonym))
    when 'array' then (select coalesce(jsonb_agg(scrub_field(field, one, user_id, emails, pseudonym) order by n), '[]') from jsonb_array_elements(given) with ordinality as e(one, n))
    when 'object' then (select coalesce(jsonb_object_agg(key, scrub_field(key, value, user_id, emails, pseudonym)), '{}') from jsonb_each(given))
    else given end;
end $$;
create function scrub_field(field text, given text[], user_id text, emails text[], pseudonym text) returns text[] language sql immutable parallel safe
  return (select array_agg(scrub_field(field, one, user_id, emails, pseudonym) order by n) from unnest(given) with ordinality as u(one, n));
create function scrub(given jsonb, user_id text, emails text[], pseudonym text) returns jsonb language sql immutable parallel safe
  return scrub_field('', given, user_id, emails, pseudonym);

-- Scrubs every text of the next `batch` rows of a table, in the order of its primary key. `after` is the key of the last row of the batch before, null at
-- the beginning. Returns that of this batch, null at the end, and how many rows changed.
-- `rule`: if not every row may be the user's, `where` is the condition of those that are, and `set` what changes in them. $3 is the user, $5 the pseudonym.
create function scrub_batch(tab regclass, rule jsonb, after jsonb, batch int, user_id text, emails text[], pseudonym text, out last jsonb, out changed int)
language plpgsql as $$
declare keys text; typed text; sets text; differs text;
begin
  select string_agg(quote_ident(attname), ', ' order by n), string_agg(format('($1 ->> %s)::%s', n - 1, format_type(atttypid, atttypmod)), ', ' order by n)
  into keys, typed
  from pg_index, unnest(indkey::int2[]) with ordinality as k(attnum, n) join pg_attribute a using (attnum) where indrelid = tab and indisprimary and a.attrelid = tab;
  select coalesce(rule ->> 'set', string_agg(format('%1$I = scrub_field(%1$L, t.%1$I, $3, $4, $5)', attname), ', ')),
    coalesce(rule ->> 'where', string_agg(format('scrub_field(%1$L, t.%1$I, $3, $4, $5) is distinct from t.%1$I', attname), ' or '))
  into sets, differs
  from pg_attribute
  where attrelid = tab and attnum > 0 and not attisdropped and attgenerated = '' and atttypid in ('text'::regtype, 'varchar'::regtype, 'jsonb'::regtype, 'text[]'::regtype);
  execute format(
    'with page as materialized (select %1$s from %2$s t where $1 is null or (%1$s) > (%3$s) order by %1$s limit $2),
     done as (update %2$s t set %4$s from (select * from page) p where (%5$s) = (%6$s) and (%7$s) returning 1)
     select case when (select count(*) from page) = $2 then (select to_jsonb(array[%8$s]) from page order by %9$s limit 1) end, (select count(*)::int from done)',
    keys, tab, typed, sets,
    (select string_agg('t.' || one, ', ') from unnest(string_to_array(keys, ', ')) one),
    (select string_agg('p.' || one, ', ') from unnest(string_to_array(keys, ', ')) one),
    differs,
    (select string_agg(one || '::text', ', ') from unnest(string_to_array(keys, ', ')) one),
    (select string_agg(one || ' desc', ', ') from unnest(string_to_array(keys, ', ')) one))
  using after, batch, user_id, emails, pseudonym into last, changed;
end $$;

-- Takes one batch of the first table whose walk is not over, and notes how far it came. Returns false once all are over.
-- paused_roles and operations come before operator_actions: whoever resumes a role or works on an operation copies the actor from there.
create function scrub_tables(wanted text, tables text[], batch int, known_as text, rules jsonb default '{}') returns boolean language plpgsql as $$
declare e erasures; tab text; step record;
begin
  select * into strict e from erasures where pseudonym = wanted;
  select t into tab from unnest(tables) with ordinality as u(t, n) where e.progress ->> t is distinct from 'over' order by n limit 1;
  if tab is null then return false; end if;
  step := scrub_batch(tab::regclass, rules -> tab, e.progress -> tab, batch, e.user_id, e.emails, known_as);
  update erasures set progress = jsonb_set(progress, array[tab], coalesce(step.last, '"over"')) where pseudonym = wanted;
  perform count_erased(wanted, tab, step.changed);
  return true;
end $$;

create function count_erased(wanted text, tab text, rows bigint) returns void language sql as $$
  update erasures set changed = jsonb_set(changed, array[tab], to_jsonb(coalesce((changed ->> tab)::bigint, 0) + rows)), updated_at = clock_timestamp()
  where pseudonym = wanted and rows > 0
$$;

-- The system is done: the row forgets who the user was. Whoever asked may have written the address into the reason.
create function end_erasure(wanted text) returns void language sql as $$
  update erasures o set reason = scrub(o.reason, e.user_id, e.emails, e.pseudonym), requested_by = scrub_field('requested_by', o.requested_by, e.user_id, e.emails, e.pseudonym)
  from erasures e where e.pseudonym = wanted and o.pseudonym <> wanted
    and (o.reason, o.requested_by) is distinct from (scrub(o.reason, e.user_id, e.emails, e.pseudonym), scrub_field('requested_by', o.requested_by, e.user_id, e.emails, e.pseudonym));
  update erasures e set state = 'DONE', done_at = clock_timestamp(), updated_at = clock_timestamp(), waiting_for = '{}', progress = '{}', user_id = null, emails = null,
    reason = scrub(e.reason, e.user_id, e.emails, e.pseudonym), requested_by = scrub_field('requested_by', e.requested_by, e.user_id, e.emails, e.pseudonym)
  where pseudonym = wanted and state = 'WORKING'
$$;

revoke execute on function scrub_batch, scrub_tables, count_erased, end_erasure from public;
