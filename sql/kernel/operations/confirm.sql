-- Lets running operations go on for a while: their actor may still do it.
-- $1 operation_id
-- $2 seconds
-- returns operation_id
update operations set confirmed_until = clock_timestamp() + make_interval(secs => $2::float8)
where operation_id = any ($1::uuid[]) and status = 'RUNNING' returning operation_id
