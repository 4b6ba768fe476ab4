-- Requeues events whose lease has ended: their worker died or hangs. No attempt is charged, because it is not known whether one was made.
-- $1 limit
-- $2 from: leases that ended before are not looked at (an optimisation; see oldest_lease.sql)
-- returns event_id, locked_by
with lost as materialized (
  select event_id, locked_by from outbox_events
  where status = 'IN_FLIGHT' and lease_until > $2::timestamptz and lease_until <= now() order by lease_until limit $1::int for update skip locked
), back as (
  update outbox_events set status = 'PENDING', next_retry_at = now(),
    locked_by = null, locked_at = null, lease_until = null, claim_token = null
  where event_id = any (array(select event_id from lost)) returning event_id
)
select l.event_id, l.locked_by from lost l join back using (event_id)
