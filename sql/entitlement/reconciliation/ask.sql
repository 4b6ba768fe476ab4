-- An operator asks for a walk of the reconciler now. Audited in the same statement.
-- $1 actor
-- $2 reason
-- returns asked_at
with asked as (
  update reconciliation set asked_at = clock_timestamp() where id = 1 returning asked_at
), noted as (
  insert into operator_actions (actor, action, subject, reason) select $1, 'reconciler.run', 'reconciler', $2 from asked
)
select iso(asked_at) as asked_at from asked
