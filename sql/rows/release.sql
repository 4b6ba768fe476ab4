-- Requeues :many of a claim untried: their target is away, the worker stops, or an earlier one of the aggregate failed. No attempt is charged.
-- $1 token
-- $2 :id
-- returns :id
update :table set status = :'waiting', :due = now(),
  locked_by = null, locked_at = null, lease_until = null, claim_token = null
where :id = any ($2::uuid[]) and claim_token = $1::uuid
returning :id
