-- Starts an operation that publishes events again, as bulk/start.sql does for other actions: its items are the events of the preview, oldest first,
-- audited. Does nothing if the set differs from the preview.
-- $1 only_missing
-- $2 since?: inclusive
-- $3 until?: exclusive
-- $4 user_id?
-- $5 event_id: only these; empty = all
-- $6 filter: as in the request
-- $7 set_hash: of the preview
-- $8 expected: eligible of the preview
-- $9 actor
-- $10 reason
-- returns operation_id
with reach as materialized (
  select lowest_id($2::timestamptz) as low, highest_id($3::timestamptz) as high
), target as materialized (
  select event_id from reach,
    lateral outbox_resend_rows($1::boolean, $2::timestamptz, $3::timestamptz, low, high, $4::text, nullif($5::uuid[], '{}')) as event_id
), operation as (
  insert into operations (kind, action, filter, set_hash, actor, reason, total, status, finished_at)
  select 'outbox', 'resend', $6::jsonb, $7::text, $9::text, $10::text, $8::int,
    case $8::int when 0 then 'DONE' else 'RUNNING' end, case $8::int when 0 then clock_timestamp() end
  where (select count(*) from target) = $8::int and set_hash(array(select event_id from target order by event_id)) = $7::text
  returning operation_id
), frozen as (
  insert into operation_items (operation_id, position, subject)
  select operation_id, row_number() over (order by event_id), event_id from operation, target
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $9, 'operation.start', operation_id::text, $10, jsonb_build_object('kind', 'outbox', 'action', 'resend', 'filter', $6::jsonb, 'total', $8::int)
  from operation
)
select operation_id from operation
