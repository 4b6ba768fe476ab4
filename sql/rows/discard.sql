-- An operator deletes a :failed row. The audit, written in the same statement, keeps what it was.
-- $1 id
-- $2 actor
-- $3 reason
-- returns :id
with target as materialized (
  select :id from :table where :id = $1::uuid and status = :'failed' for update
), gone as (
  delete from :table r where :id = any (array(select :id from target)) returning :id, :was as was
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, :'audited' || '.discard', :id::text, $3, was from gone
)
select :id from gone
