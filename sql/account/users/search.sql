-- Users whose e-mail address or display name begins with a text, in the order of the matched value; case-insensitive. A user who matches by
-- both is returned twice. A page continues after the last user of the page before, by that user's current value.
-- $1 beginning
-- $2 after_user_id?
-- $3 after_matched?: how that user matched, email or name
-- $4 limit
-- returns matched, user_id, account_status, roles, display_name?, email?, email_verified, picture?, locale?, created_at, updated_at
with input as materialized (
  select (lower($1) || chr(1114111)) collate "C" as ends, coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') as after_id,  -- 1114111: the highest character
    coalesce((select lower(case $3::text when 'email' then email else display_name end) from users where user_id = $2::uuid), lower($1)) collate "C" as after_key
), hit as (
  select 'email' as matched, begins.* from input, lateral (
    select lower(email) collate "C" as key, user_id from users
    where email is not null and (lower(email) collate "C", user_id) > (after_key, after_id) and lower(email) collate "C" < ends
    order by lower(email) collate "C", user_id limit $4::int) begins
  union all
  select 'name', begins.* from input, lateral (
    select lower(display_name) collate "C" as key, user_id from users
    where display_name is not null and (lower(display_name) collate "C", user_id) > (after_key, after_id) and lower(display_name) collate "C" < ends
    order by lower(display_name) collate "C", user_id limit $4::int) begins
), page as (
  select * from hit order by key, user_id limit $4::int
)
select matched, u.user_id, account_status, roles_of(u.user_id) as roles, display_name, email, email_verified, picture, locale,
  iso(created_at) as created_at, iso(updated_at) as updated_at
from page p, lateral (select * from users x where x.user_id = p.user_id limit 1) u   -- limit: index lookups under every plan
order by key, user_id
