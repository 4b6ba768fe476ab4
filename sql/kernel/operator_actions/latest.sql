-- The last action of this name on the subject.
-- $1 subject
-- $2 action
-- returns actor, at
select actor, iso(at) as at from operator_actions where subject = $1 and action = $2 order by action_id desc limit 1
