-- Changes display name and locale, audited in the same statement. Returns nothing if nothing differs, the user is unknown or erased, or the actor is suspended.
-- $1 user_id
-- $2 display_name?: null = unchanged
-- $3 locale?: null = unchanged
-- $4 actor
-- returns user_id, account_status, roles, display_name?, email?, email_verified, picture?, locale?, created_at, updated_at
with changed as (
  update users set display_name = coalesce($2, display_name), locale = coalesce($3, locale),
    updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
  where user_id = $1::uuid and account_status <> 'ERASED' and may_act($4) and (display_name, locale) is distinct from (coalesce($2, display_name), coalesce($3, locale))
  returning new.*, jsonb_build_object('display_name', old.display_name, 'locale', old.locale) as before
), audited as (
  insert into audit_logs (actor, action, user_id, detail)
  select $4, 'user.update', user_id,
    jsonb_build_object('before', before, 'after', jsonb_build_object('display_name', display_name, 'locale', locale)) from changed
)
select user_id, account_status, roles_of(user_id) as roles, display_name, email, email_verified, picture, locale,
  iso(created_at) as created_at, iso(updated_at) as updated_at
from changed
