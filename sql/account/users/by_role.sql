-- The users with a role beside USER, newest first.
-- $1 role
-- $2 before_user_id
-- $3 limit
-- returns user_id, account_status, roles, display_name?, email?, email_verified, picture?, locale?, created_at, updated_at
select u.user_id, account_status, roles_of(u.user_id) as roles, display_name, email, email_verified, picture, locale,
  iso(created_at) as created_at, iso(updated_at) as updated_at
from (
  select user_id from account_roles where role = $1 and role <> 'USER' and user_id < $2::uuid order by user_id desc limit $3::int) holder,
  lateral (select * from users x where x.user_id = holder.user_id limit 1) u   -- limit: index lookups under every plan
order by u.user_id desc
