-- Requeues all rows of these claims. For claims whose statement got no answer: it may have committed, and no attempt has begun.
-- $1 token
-- returns :id, claim_token
with held as materialized (
  select :id, claim_token from :table
  where status = :'held' and lease_until > now() and claim_token = any ($1::uuid[]) order by lease_until for update skip locked
), back as (
  update :table set status = :'waiting', :due = now(),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  where :id = any (array(select :id from held)) returning :id
)
select h.:id, h.claim_token from held h join back using (:id)
