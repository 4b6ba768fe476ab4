-- Deletes a batch of expired keys.
-- $1 limit
-- returns idem_key
delete from idempotency_keys where ctid = any (array(
  select ctid from idempotency_keys where expires_at <= now() order by expires_at limit $1::int))
returning idem_key
