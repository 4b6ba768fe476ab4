-- Renews the lease of a claim during its attempt. A missing id lost its lease.
-- $1 token
-- $2 :id
-- $3 lease_seconds
-- returns :id
update :table set lease_until = now() + make_interval(secs => $3::float8)
where :id = any ($2::uuid[]) and claim_token = $1::uuid
returning :id
