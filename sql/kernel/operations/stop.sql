-- Stops a running operation because its actor may no longer do it, audited in the same statement. It waits for the batch in progress; no other batch follows.
-- $1 operation_id
-- $2 reason
-- returns operation_id
with stopped as (
  update operations set status = 'STOPPED', stop_reason = $2, finished_at = clock_timestamp()
  where operation_id = $1::uuid and status = 'RUNNING' returning operation_id, total, done, skipped, failed
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select 'kenri', 'operation.stop', operation_id::text, $2, jsonb_build_object('total', total, 'done', done, 'skipped', skipped, 'failed', failed) from stopped
)
select operation_id from stopped
