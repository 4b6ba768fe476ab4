-- Renews the lease of a claim during its attempt. A missing id lost its lease.
-- $1 token
-- $2 notification_id
-- $3 lease_seconds
-- returns notification_id
update notifications set lease_until = now() + make_interval(secs => $3::float8)
where notification_id = any ($2::uuid[]) and claim_token = $1::uuid
returning notification_id
