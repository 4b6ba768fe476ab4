-- The users with an e-mail address, newest first; case-insensitive.
-- $1 email
-- $2 before_user_id
-- $3 limit
-- returns user_id, account_status, roles, display_name?, email?, email_verified, picture?, locale?, created_at, updated_at
select user_id, account_status, roles_of(user_id) as roles, display_name, email, email_verified, picture, locale,
  iso(created_at) as created_at, iso(updated_at) as updated_at
from users where lower(email) = lower($1) and user_id < $2::uuid
order by user_id desc limit $3::int
