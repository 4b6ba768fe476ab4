-- Explains why a change changed nothing: whether the user is known, whether the actor is not suspended, whether the actor is ADMIN,
-- and whether the user is erased or about to be.
-- $1 user_id
-- $2 actor
-- returns known, may_act, is_admin, is_erased
select exists (select from users where user_id = $1::uuid) as known, may_act($2) as may_act,
  exists (select from account_roles where user_id = case when pg_input_is_valid($2, 'uuid') then $2::uuid end and role = 'ADMIN') as is_admin,
  is_being_erased($1::text) or exists (select from users where user_id = $1::uuid and account_status = 'ERASED') as is_erased
