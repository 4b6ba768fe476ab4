-- Running operations may go on for a while: whoever started them may still do so.
-- $1 operation_id
-- $2 seconds
-- returns operation_id
update operations set confirmed_until = clock_timestamp() + make_interval(secs => $2::float8)
where operation_id = any ($1::uuid[]) and status = 'RUNNING' returning operation_id
