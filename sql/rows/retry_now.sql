-- An operator retries one of the waiting :many at once, audited in the same statement. Attempts go on counting; one that is already due keeps its place.
-- $1 id
-- $2 actor
-- $3 reason
-- returns :id, status, :attempts, :due
with target as materialized (
  select :id from :table where :id = $1::uuid and :claimable for update
), hurried as (
  update :table set :due = least(:due, now())
  where :id = any (array(select :id from target)) returning :id, status, :attempts, :due
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, :'audited' || '.retry', :id::text, $3, jsonb_build_object(:'attempts', :attempts) from hurried
)
select :id, status, :attempts, iso(:due) as :due from hurried
