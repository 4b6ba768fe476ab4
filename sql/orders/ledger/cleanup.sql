-- Deletes a batch of entries that were settled before the retention, with their history. An entry stays as long as its order is in the outbox.
-- $1 retention_seconds
-- $2 limit
-- returns order_id
delete from idempo_ledger where ctid = any (array(
  select l.ctid from idempo_ledger l
  where l.settled_at < now() - make_interval(secs => $1::float8)
    and not exists (select from outbox_orders o where o.idempotency_key = l.idempotency_key)
  order by l.settled_at limit $2::int for update skip locked))
returning order_id
