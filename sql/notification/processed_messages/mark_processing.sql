-- Records that a send begins. A completed one that has not expired stays as it is and is not returned.
-- $1 idempotency_key
-- $2 message_id
-- $3 message_type
-- $4 ttl_seconds
-- returns idempotency_key
insert into processed_messages as m (idempotency_key, message_id, message_type, status, started_at, expires_at)
values ($1, $2, $3, 'processing', now(), now() + make_interval(secs => $4::float8))
on conflict (idempotency_key) do update set message_id = excluded.message_id, message_type = excluded.message_type, status = 'processing',
  started_at = excluded.started_at, completed_at = null, error = null, expires_at = excluded.expires_at, updated_at = now()
where m.status <> 'completed' or m.expires_at <= now()
returning idempotency_key
