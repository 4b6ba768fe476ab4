-- Deletes a batch of operations that were finished longer ago than the retention and whose items are gone.
-- $1 retention_seconds
-- $2 limit
-- returns operation_id
delete from operations where operation_id = any (array(
  select operation_id from operations o
  where operation_id < (select uuidv7(make_interval(secs => -$1::float8))) and finished_at < now() - make_interval(secs => $1::float8)
    and (select position from operation_items i where i.operation_id = o.operation_id order by position limit 1) is null
  order by operation_id limit $2::int))
returning operation_id
