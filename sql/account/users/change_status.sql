-- Suspends or restores a user, audited in the same statement. Returns nothing if the user is unknown, already has that status, is erased or is about to
-- be, or if the actor is no active ADMIN.
-- $1 user_id
-- $2 target: ACTIVE or SUSPENDED
-- $3 actor
-- $4 reason
-- returns user_id, account_status, roles, display_name?, email?, email_verified, picture?, locale?, created_at, updated_at
with judged as materialized (
  select may_administer($3, $1::uuid) as allowed
), changed as (
  update users set account_status = $2, updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
  where user_id = $1::uuid and account_status not in ($2, 'ERASED') and not is_being_erased($1::text) and (select allowed from judged)
  returning new.*, old.account_status as status_before
), audited as (
  insert into audit_logs (actor, action, user_id, reason, detail)
  select $3, case account_status when 'SUSPENDED' then 'user.suspend' else 'user.restore' end, user_id, $4,
    jsonb_build_object('before', jsonb_build_object('account_status', status_before), 'after', jsonb_build_object('account_status', account_status))
  from changed
)
select user_id, account_status, roles_of(user_id) as roles, display_name, email, email_verified, picture, locale,
  iso(created_at) as created_at, iso(updated_at) as updated_at
from changed
