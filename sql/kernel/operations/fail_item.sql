-- Marks an item as FAILED because the database refused its row.
-- $1 operation_id
-- $2 position
-- $3 note: why
-- returns operation_id, status
with operation as materialized (
  select operation_id from operations where operation_id = $1::uuid and status = 'RUNNING' for update
), settled as (
  update operation_items set result = 'FAILED', note = $3
  where operation_id = (select operation_id from operation) and position = $2::int and result = 'PENDING' returning position
)
update operations set failed = failed + 1, turn_at = clock_timestamp(), refusals = 0,
  status = case when done + skipped + failed + 1 = total then 'DONE' else 'RUNNING' end,
  finished_at = case when done + skipped + failed + 1 = total then clock_timestamp() end
where operation_id = (select operation_id from operation) and exists (select from settled)
-- The worker commits asynchronously, and a crash of the server may lose its last commits. This one must survive: an operator has seen the progress.
  and (select set_config('synchronous_commit', 'on', true)) is not null
returning operation_id, status
