-- Deletes a batch of sends some time after they expired.
-- $1 keep_seconds: after expiry
-- $2 limit
-- returns idempotency_key
delete from processed_messages where ctid = any (array(
  select ctid from processed_messages where expires_at < now() - make_interval(secs => $1::float8)
  order by expires_at limit $2::int for update skip locked))
returning idempotency_key
