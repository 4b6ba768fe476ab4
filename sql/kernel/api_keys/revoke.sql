-- Ends a key at once, or at the end of a grace period; never later than before.
-- $1 key_id
-- $2 grace_seconds
-- returns key_id
update api_keys set
  revoked_at = case when $2::float8 = 0 then coalesce(revoked_at, now()) else revoked_at end,
  expires_at = least(expires_at, now() + make_interval(secs => $2::float8))
where key_id = $1 returning key_id
