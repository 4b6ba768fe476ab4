-- All keys, newest first.
-- returns key_id, client_id, scopes, created_at, expires_at?, revoked_at?
select key_id, client_id, scopes, iso(created_at) as created_at, iso(expires_at) as expires_at, iso(revoked_at) as revoked_at
from api_keys order by api_keys.created_at desc
