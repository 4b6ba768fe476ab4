-- Requeues all rows of these claims. For claims whose statement got no answer: it may have committed, and no attempt has begun.
-- $1 token
-- returns event_id, claim_token
with held as materialized (
  select event_id, claim_token from outbox_events
  where status = 'IN_FLIGHT' and lease_until > now() and claim_token = any ($1::uuid[]) order by lease_until for update skip locked
), back as (
  update outbox_events set status = 'PENDING', next_retry_at = now(),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  where event_id = any (array(select event_id from held)) returning event_id
)
select h.event_id, h.claim_token from held h join back using (event_id)
