-- Cancels a running operation, audited in the same statement. It waits for the batch in progress; no other batch follows.
-- $1 operation_id
-- $2 actor
-- $3 reason
-- returns operation_id
with cancelled as (
  update operations set status = 'CANCELLED', cancelled_by = $2, finished_at = clock_timestamp()
  where operation_id = $1::uuid and status = 'RUNNING' returning operation_id, total, done, skipped, failed
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select $2, 'operation.cancel', operation_id::text, $3, jsonb_build_object('total', total, 'done', done, 'skipped', skipped, 'failed', failed) from cancelled
)
select operation_id from cancelled
