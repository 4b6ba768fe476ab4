-- Requeues all rows of these claims. For claims whose statement got no answer: it may have committed, and no attempt has begun.
-- $1 token
-- returns order_id, claim_token
with held as materialized (
  select order_id, claim_token from outbox_orders
  where status = 'sending' and lease_until > now() and claim_token = any ($1::uuid[]) order by lease_until for update skip locked
), back as (
  update outbox_orders set status = 'pending', updated_at = now(), next_attempt_at = now(),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  where order_id = any (array(select order_id from held)) returning order_id
)
select h.order_id, h.claim_token from held h join back using (order_id)
