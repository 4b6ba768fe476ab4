-- All users, newest first.
-- $1 before_user_id
-- $2 limit
-- returns user_id, account_status, roles, display_name?, email?, email_verified, picture?, locale?, created_at, updated_at
select user_id, account_status, roles_of(user_id) as roles, display_name, email, email_verified, picture, locale,
  iso(created_at) as created_at, iso(updated_at) as updated_at
from users where user_id < $1::uuid
order by user_id desc limit $2::int
