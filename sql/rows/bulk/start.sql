-- Starts an operation on the :failed :many that match, or to retry on those that failed before and wait. Stores them as its items, oldest first,
-- audited. Does nothing if the set differs from the preview. The :many are not locked: processing an item checks its state again.
-- $1 status?: :retrying are those that failed before and wait
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?: inclusive
-- $8 created_to?: exclusive
-- $9 action: requeue, discard or retry
-- $10 filter: as in the request
-- $11 set_hash: of the preview
-- $12 expected: eligible of the preview
-- $13 actor
-- $14 reason
-- returns operation_id
with target as materialized (
  select :id from :bulk_rows($9::text, $1::text, $2::text, $3::text, $4::text, $5::text, $6::int, $7::timestamptz, $8::timestamptz) as :id
), operation as (
  insert into operations (kind, action, filter, set_hash, actor, reason, total, status, finished_at)
  select :'kind', $9::text, $10::jsonb, $11::text, $13::text, $14::text, $12::int,
    case $12::int when 0 then 'DONE' else 'RUNNING' end, case $12::int when 0 then clock_timestamp() end
  where (select count(*) from target) = $12::int and set_hash(array(select :id from target order by :id)) = $11::text
  returning operation_id
), frozen as (
  insert into operation_items (operation_id, position, subject)
  select operation_id, row_number() over (order by :id), :id from operation, target
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $13, 'operation.start', operation_id::text, $14, jsonb_build_object('kind', :'kind', 'action', $9::text, 'filter', $10::jsonb, 'total', $12::int)
  from operation
)
select operation_id from operation
