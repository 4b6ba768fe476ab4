-- Explains why a change changed nothing: whether the user is known, whether the actor is not suspended, and whether the actor is ADMIN.
-- $1 user_id
-- $2 actor
-- returns known, may_act, is_admin
select exists (select from users where user_id = $1::uuid) as known, may_act($2) as may_act,
  exists (select from account_roles where user_id = case when pg_input_is_valid($2, 'uuid') then $2::uuid end and role = 'ADMIN') as is_admin
