-- Counts a batch that the database refused. Another operation has the next turn.
-- $1 operation_id
-- returns refusals
update operations set refusals = refusals + 1, turn_at = clock_timestamp()
where operation_id = $1::uuid and status = 'RUNNING' returning refusals
