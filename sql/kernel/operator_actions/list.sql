-- What people did to this system's rows, newest first.
-- $1 before_action_id
-- $2 limit
-- returns action_id, at, actor, action, subject, reason, detail
select action_id, iso(at) as at, actor, action, subject, reason, detail from operator_actions
where action_id < $1::uuid
order by action_id desc limit $2::int
