-- Works off a batch, or one item, of a running operation that retries waiting events at once, as retry_now.sql does: their change, their audit and
-- their items at once. Attempts go on counting.
-- The operation's lock is what two workers share: one of them has it, the other does nothing. What is locked is read anew, so that
-- nothing is settled that a worker before settled after this statement began; the items before the events, in one order for everyone.
-- $1 operation_id
-- $2 position?: only this item
-- $3 limit
-- returns operation_id, status, changed, unchanged
with operation as materialized (
  select operation_id, actor, reason from operations
  where operation_id = $1::uuid and status = 'RUNNING' for update skip locked
), batch as materialized (
  select i.position, i.subject from operation o, lateral (
    select position, subject from operation_items where operation_id = o.operation_id and result = 'PENDING'
      and position >= coalesce($2::int, 0) and position <= coalesce($2::int, 2147483647)
    order by position limit $3::int for update) i
), target as materialized (
  select event_id from outbox_events where event_id = any (array(select subject from batch)) and status = 'PENDING' and attempt_count > 0
  order by event_id for update skip locked
), hurried as (
  update outbox_events set next_retry_at = least(next_retry_at, now())
  where event_id = any (array(select event_id from target)) returning event_id, attempt_count
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select actor, 'outbox.retry', event_id::text, reason, jsonb_build_object('attempt_count', attempt_count, 'operation_id', operation_id) from hurried, operation
), settled as (
  update operation_items i set
    result = case when subject = any (array(select event_id from hurried)) then 'DONE' else 'SKIPPED' end,
    note = case when subject = any (array(select event_id from hurried)) then null else coalesce(
      (select case when status <> 'PENDING' then 'it is ' || status when attempt_count > 0 then 'somebody else was faster' else 'it does not retry' end from outbox_events where event_id = i.subject),
      'it is no longer there') end
  where operation_id = (select operation_id from operation) and position = any (array(select position from batch))
  returning result
), counted as (
  update operations o set done = done + changed, skipped = skipped + unchanged, turn_at = clock_timestamp(), refusals = 0,
    status = case when done + skipped + failed + changed + unchanged = total then 'DONE' else 'RUNNING' end,
    finished_at = case when done + skipped + failed + changed + unchanged = total then clock_timestamp() end
  from (select count(*) filter (where result = 'DONE')::int as changed, count(*) filter (where result = 'SKIPPED')::int as unchanged from settled) s
  where operation_id = (select operation_id from operation)
  returning operation_id, status, changed, unchanged
)
select operation_id, status, changed, unchanged from counted
-- The relay's commits may be lost with the server; this one may not: an operator has seen how far it is.
where (select set_config('synchronous_commit', 'on', true)) is not null
