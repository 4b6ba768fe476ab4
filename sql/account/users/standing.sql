-- Why a change found nothing to do: whether the user is known, and whether the actor may change anything.
-- $1 user_id
-- $2 actor
-- returns known, may_act
select exists (select from users where user_id = $1::uuid) as known, may_act($2) as may_act
