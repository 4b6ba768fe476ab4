-- Records that all sessions of a user are ended. The gateway stores the sessions and ends them after this. Returns nothing if the user is
-- unknown or the actor is no active ADMIN.
-- $1 user_id
-- $2 actor
-- $3 reason
-- returns user_id, account_status, roles, display_name?, email?, email_verified, picture?, locale?, created_at, updated_at
with judged as materialized (
  select may_administer($2, $1::uuid) as allowed
), target as (
  select * from users where user_id = $1::uuid and (select allowed from judged) for update
), audited as (
  insert into audit_logs (actor, action, user_id, reason, detail)
  select $2, 'user.sign-out', user_id, $3, jsonb_build_object('before', null, 'after', null) from target
)
select user_id, account_status, roles_of(user_id) as roles, display_name, email, email_verified, picture, locale,
  iso(created_at) as created_at, iso(updated_at) as updated_at
from target
