-- Takes back orders whose lease ended: their worker died or hangs. It may have sent the order, so the outcome is unknown and the broker is asked first.
-- No attempt is charged.
-- $1 limit
-- $2 from: leases that ended before are not looked at (an optimisation; see oldest_lease.sql)
-- returns order_id, locked_by
with lost as materialized (
  select order_id, locked_by from outbox_orders
  where status = 'sending' and lease_until > $2::timestamptz and lease_until <= now() order by lease_until limit $1::int for update skip locked
), back as (
  update outbox_orders set status = 'pending', next_attempt_at = now(),
    last_error_code = 'LEASE_ENDED', last_error_msg = 'the sender did not report what became of the attempt', failed_at = now(),
    outcome_unknown = true, asks = case when outcome_unknown then asks else 0 end,
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  where order_id = any (array(select order_id from lost)) returning order_id
)
select l.order_id, l.locked_by from lost l join back using (order_id)
