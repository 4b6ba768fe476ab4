-- Pauses a role, audited in the same statement. Does nothing if the role is paused: who paused it first, and why, stays.
-- $1 role
-- $2 actor
-- $3 reason
-- returns role
with paused as (
  insert into paused_roles (role, paused_by, reason) values ($1::text, $2::text, $3::text) on conflict (role) do nothing returning role
), noted as (
  insert into operator_actions (actor, action, subject, reason) select $2::text, 'role.pause', role, $3::text from paused
)
select role from paused
