-- Adds a key; the owner role only.
-- $1 key_id
-- $2 client_id
-- $3 secret_sha256
-- $4 scopes
-- $5 expires_in_days?: null = never
-- returns key_id
insert into api_keys (key_id, client_id, secret_sha256, scopes, expires_at)
values ($1, $2, $3::bytea, $4::text[], now() + make_interval(days => $5::int))
returning key_id
