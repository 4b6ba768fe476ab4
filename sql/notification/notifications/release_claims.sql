-- Requeues all rows of these claims. For claims whose statement got no answer: it may have committed, and no attempt has begun.
-- $1 token
-- returns notification_id, claim_token
with held as materialized (
  select notification_id, claim_token from notifications
  where status = 'PROCESSING' and lease_until > now() and claim_token = any ($1::uuid[]) order by lease_until for update skip locked
), back as (
  update notifications set status = 'PENDING', next_retry_at = now(),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  where notification_id = any (array(select notification_id from held)) returning notification_id
)
select h.notification_id, h.claim_token from held h join back using (notification_id)
