-- Deletes a batch of orders that were settled before the retention, with their attempts. The ledger keeps their outcome. Aborted orders that need
-- attention stay until an operator requeues or discards them.
-- $1 retention_seconds
-- $2 limit
-- returns order_id
delete from outbox_orders where ctid = any (array(
  select ctid from outbox_orders
  where settled_at < now() - make_interval(secs => $1::float8)
    and (status = 'succeeded' or status = 'aborted' and last_error_code in ('CANCELLED', 'EXPIRED', 'RESOLVED_FAILED'))
  order by settled_at limit $2::int for update skip locked))
returning order_id
