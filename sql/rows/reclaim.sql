-- Requeues :many whose lease has ended: their worker died or hangs. No attempt is charged, because it is not known whether one was made.
-- $1 limit
-- $2 from: leases that ended before are not looked at (an optimisation; see oldest_lease.sql)
-- returns :id, locked_by
with lost as materialized (
  select :id, locked_by from :table
  where status = :'held' and lease_until > $2::timestamptz and lease_until <= now() order by lease_until limit $1::int for update skip locked
), back as (
  update :table set status = :'waiting', :due = now(),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  where :id = any (array(select :id from lost)) returning :id
)
select l.:id, l.locked_by from lost l join back using (:id)
