-- Processes a batch, or one item, of a running operation that deletes FAILED notifications, as discard.sql does: notifications, audit and items at once.
-- Two workers never process one operation at the same time: the second does not get its lock and does nothing. Locking reads rows anew, so an item
-- that another worker settled after this statement began is not settled again. Every worker locks the items first, then the notifications, each in one order.
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
  select notification_id from notifications where notification_id = any (array(select subject from batch)) and status = 'FAILED'
  order by notification_id for update skip locked
), gone as (
  delete from notifications n where notification_id = any (array(select notification_id from target))
  returning notification_id, to_jsonb(n) - array['locked_by', 'locked_at', 'lease_until', 'claim_token'] || jsonb_build_object(
    'dead', (select to_jsonb(d) - 'payload' from notification_dlq d where d.notification_id = n.notification_id),
    'attempts', (select coalesce(jsonb_agg(to_jsonb(a) - 'notification_id' order by number desc), '[]') from notification_attempts a
                 where a.notification_id = n.notification_id)) as was
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select actor, 'notification.discard', notification_id::text, reason, was || jsonb_build_object('operation_id', operation_id) from gone, operation
), settled as (
  update operation_items i set
    result = case when subject = any (array(select notification_id from gone)) then 'DONE' else 'SKIPPED' end,
    note = case when subject = any (array(select notification_id from gone)) then null else coalesce(
      (select case status when 'FAILED' then 'somebody else was faster' else 'it is ' || status end from notifications where notification_id = i.subject),
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
-- The sender commits asynchronously, and a crash of the server may lose its last commits. This one must survive: an operator has seen the progress.
where (select set_config('synchronous_commit', 'on', true)) is not null
