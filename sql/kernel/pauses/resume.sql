-- Resumes a role, audited in the same statement with the pause that it ends. Does nothing if the role is not paused.
-- $1 role
-- $2 actor
-- $3 reason
-- returns role
with resumed as (
  delete from paused_roles where role = $1::text
  returning role, jsonb_build_object('paused_at', iso(paused_at), 'paused_by', paused_by, 'paused_because', reason) as was
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail) select $2::text, 'role.resume', role, $3::text, was from resumed
)
select role from resumed
