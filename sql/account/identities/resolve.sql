-- The user of an identity. For a new identity it creates the user, the roles and the audit row. For a known one it refreshes changed claims.
-- A null claim changes nothing. Returns nothing if a concurrent statement creates the same user: run it again, then the user exists.
-- $1 provider
-- $2 subject
-- $3 email?
-- $4 email_verified: of that e-mail
-- $5 picture?
-- $6 display_name?: of a new user
-- $7 roles: of a new user
-- $8 actor
-- returns user_id, account_status, roles, display_name?, email?
with known as materialized (
  select u.* from identities i join users u using (user_id) where i.provider = $1 and i.subject = $2
), refreshed as (
  update users set email = coalesce($3::text, email), picture = coalesce($5::text, picture),
    email_verified = case when $3::text is null then email_verified else $4::boolean end,
    updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
  where user_id = (select user_id from known) and (email, email_verified, picture) is distinct from
    (coalesce($3::text, email), case when $3::text is null then email_verified else $4::boolean end, coalesce($5::text, picture))
  returning new.user_id,
    jsonb_build_object('email', old.email, 'email_verified', old.email_verified, 'picture', old.picture) as before,
    jsonb_build_object('email', new.email, 'email_verified', new.email_verified, 'picture', new.picture) as after
), claimed as (                                                           -- before the user: the loser of a race creates no user
  insert into identities (provider, subject, user_id) select $1, $2, uuidv7() where not exists (select from known)
  on conflict (provider, subject) do nothing returning user_id
), made as (
  insert into users (user_id, display_name, email, email_verified, picture, created_at, updated_at)
  select user_id, $6::text, $3::text, $3::text is not null and $4::boolean, $5::text, now(), now() from claimed returning *
), seeded as (
  insert into account_roles (user_id, role) select user_id, role from claimed, unnest($7::text[]) as role
), audited as (
  insert into audit_logs (actor, action, user_id, detail)
  select $8, 'user.refresh', user_id, jsonb_build_object('before', before, 'after', after) from refreshed
  union all
  select $8, 'user.create', user_id, jsonb_build_object('before', null, 'after', jsonb_build_object('provider', $1::text, 'subject', $2::text,
    'display_name', display_name, 'email', email, 'email_verified', email_verified, 'picture', picture, 'roles', $7::text[])) from made
)
select user_id, account_status, roles_of(user_id) as roles, display_name, coalesce($3::text, email) as email from known
union all
select user_id, account_status, $7::text[], display_name, email from made
