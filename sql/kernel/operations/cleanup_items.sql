-- Deletes a batch of the items of operations that were finished longer ago than the retention. One operation may have a million items.
-- $1 retention_seconds
-- $2 limit
-- returns position
delete from operation_items where ctid = any (array(
  select i.ctid from (
    select operation_id from operations
    where operation_id < (select uuidv7(make_interval(secs => -$1::float8)))                  -- v7: the id is the age, no extra index
      and finished_at < now() - make_interval(secs => $1::float8)                             -- null while it is RUNNING
    order by operation_id limit 100) o,
    lateral (select ctid from operation_items i where i.operation_id = o.operation_id order by position limit $2::int) i
  limit $2::int))
returning position
