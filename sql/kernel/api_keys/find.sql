-- Finds a key for authentication. Expiry is judged by the database's clock.
-- $1 key_id: the public part of the key
-- returns key_id, client_id, secret_sha256, scopes, live
select key_id, client_id, secret_sha256, scopes,
  revoked_at is null and (expires_at is null or expires_at > now()) as live
from api_keys where key_id = $1
