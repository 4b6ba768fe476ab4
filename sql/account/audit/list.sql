-- The audit of a user, newest first.
-- $1 user_id
-- $2 before_audit_id
-- $3 limit
-- returns audit_id, at, actor, action, user_id, reason?, detail
select audit_id, iso(at) as at, actor, action, user_id, reason, detail from audit_logs
where user_id = $1::uuid and audit_id < $2::uuid
order by audit_id desc limit $3::int
