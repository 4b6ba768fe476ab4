-- Gives a user exactly these roles, audited in the same statement if they differ. Returns nothing if the user is unknown, the actor is
-- no active ADMIN, or the user changed while this waited for the row lock: its snapshot of the roles is then too old, and it must run again.
-- $1 user_id
-- $2 roles: all of them, in ascending order
-- $3 actor
-- $4 reason
-- returns user_id, account_status, roles, display_name?, email?, email_verified, picture?, locale?, created_at, updated_at
with seen as materialized (
  select updated_at from users where user_id = $1::uuid
), judged as materialized (
  select may_administer($3, $1::uuid) as allowed
), target as materialized (                                               -- the current row, not the one of the snapshot
  select * from users where user_id = $1::uuid and (select allowed from judged) for update
), before as materialized (
  select t.*, roles_of(t.user_id) as roles from target t join seen on seen.updated_at = t.updated_at
), touched as (
  update users set updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
  where user_id = (select user_id from before where roles <> $2::text[]) returning user_id, updated_at
), taken as (
  delete from account_roles where user_id = (select user_id from touched) and role <> all ($2::text[])
), given as (
  insert into account_roles (user_id, role) select user_id, role from touched, unnest($2::text[]) as role on conflict do nothing
), audited as (
  insert into audit_logs (actor, action, user_id, reason, detail)
  select $3, 'user.roles', user_id, $4,
    jsonb_build_object('before', jsonb_build_object('roles', (select roles from before)), 'after', jsonb_build_object('roles', $2::text[]))
  from touched
)
select user_id, account_status, $2::text[] as roles, display_name, email, email_verified, picture, locale,
  iso(created_at) as created_at, iso(coalesce((select updated_at from touched), updated_at)) as updated_at
from before
