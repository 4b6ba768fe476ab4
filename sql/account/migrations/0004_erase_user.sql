-- Erasing a user. Account comes first and last: it chooses the pseudonym and suspends the user, and erases its own rows when all other systems are done.
-- Until then the user can be found.
alter table users
  drop constraint users_account_status_check,
  add constraint users_account_status_check check (account_status in ('ACTIVE', 'SUSPENDED', 'ERASED')),
  add constraint users_erased_check check (account_status <> 'ERASED' or num_nonnulls(display_name, locale, email, picture) = 0);
alter table audit_logs
  drop constraint audit_logs_action_check, drop constraint audit_logs_check,
  add constraint audit_logs_action_check check (action in ('user.create', 'user.refresh', 'user.update', 'user.suspend', 'user.restore', 'user.roles', 'user.sign-out', 'user.erase')),
  add constraint audit_logs_reasoned_check check ((reason is not null) = (action in ('user.suspend', 'user.restore', 'user.roles', 'user.sign-out', 'user.erase')));

-- What the other systems last said, by name: state, waiting_for, changed.
alter table erasures add column systems jsonb not null default '{}';
grant update (systems) on erasures to :"app";

-- The last step of an erasure, if every other system is done. The row of the user stays under the UUID of the pseudonym, so that the audit still has its
-- subject; identities and roles are deleted, so the same person who signs in again is a new user. Returns whether there is more to do now.
create function erase_user(wanted text, batch int) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare e erasures; was uuid; anew constant uuid := substr(wanted, 8)::uuid;
begin
  select * into e from erasures where pseudonym = wanted and state = 'WORKING' for update;
  if not found then return false; end if;
  if exists (select from jsonb_each(e.systems) s where s.value ->> 'state' <> 'DONE') or e.systems = '{}' then return false; end if;
  was := case when pg_input_is_valid(e.user_id, 'uuid') then e.user_id::uuid end;
  perform from users where user_id = was for update;
  if found then
    insert into users (user_id, account_status, created_at, updated_at)
    select anew, 'ERASED', created_at, greatest(clock_timestamp(), updated_at) from users where user_id = was on conflict do nothing;
    delete from identities where user_id = was;
    delete from account_roles where user_id = was;
    -- What the profile was before and after is personal; that it changed, when and by whom is not.
    update audit_logs set user_id = anew, actor = scrub(actor, e.user_id, e.emails, anew::text), reason = scrub(reason, e.user_id, e.emails, wanted),
      detail = jsonb_build_object('before', null, 'after', case when action in ('user.suspend', 'user.restore', 'user.roles') then detail -> 'after' end)
    where user_id = was;
    perform count_erased(wanted, 'audit_logs', (select count(*) from audit_logs where user_id = anew));
    delete from users where user_id = was;
    perform count_erased(wanted, 'users', 1);
    return true;
  end if;
  if scrub_tables(wanted, array['audit_logs', 'paused_roles', 'operations', 'operator_actions'], batch, case when was is null then wanted else anew::text end) then return true; end if;
  perform end_erasure(wanted);
  return false;
end $$;

-- Whether there is data of a user.
create function has_user(wanted text) returns boolean language sql stable
  return exists (select from users where user_id = case when pg_input_is_valid(wanted, 'uuid') then wanted::uuid end);

-- Who is being erased stays suspended, whatever an ADMIN does.
create function is_being_erased(wanted text) returns boolean language sql stable return exists (select from erasures where user_id = wanted);

revoke execute on function erase_user from public;
grant execute on function erase_user, has_user, is_being_erased to :"app";
