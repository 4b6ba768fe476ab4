-- Reserves a request key. Returns nothing if it is taken. $1 key, $2 hash of the request.
insert into idempotency_keys (idem_key, request_hash, expires_at)
values ($1, $2, now() + interval '24 hours')
on conflict (idem_key) do nothing
returning idem_key
