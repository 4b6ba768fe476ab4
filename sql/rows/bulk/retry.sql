-- Processes a batch, or one item, of a running operation that retries waiting :many now, as retry_now.sql does: :many, audit and items at once.
-- Attempts go on counting.
-- Two workers never process one operation at the same time: the second does not get its lock and does nothing. Locking reads rows anew, so an item
-- that another worker settled after this statement began is not settled again. Every worker locks the items first, then the :many, each in one order.
-- $1 operation_id
-- $2 position?: only this item
-- $3 limit
-- returns operation_id, status, changed, unchanged
with :operation_items,
target as materialized (
  select :id from :table where :id = any (array(select subject from batch)) and :is_retrying
  order by :id for update skip locked
), hurried as (
  update :table set :due = least(:due, now())
  where :id = any (array(select :id from target)) returning :id, :attempts
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select actor, :'audited' || '.retry', :id::text, reason, jsonb_build_object(:'attempts', :attempts, 'operation_id', operation_id) from hurried, operation
), settled as (
  update operation_items i set
    result = case when subject = any (array(select :id from hurried)) then 'DONE' else 'SKIPPED' end,
    note = case when subject = any (array(select :id from hurried)) then null else coalesce(
      (select case when :is_retrying then 'somebody else was faster' when :claimable then 'it does not retry' else 'it is ' || status end
       from :table where :id = i.subject),
      'it is no longer there') end
  where operation_id = (select operation_id from operation) and position = any (array(select position from batch))
  returning result
),
:progress
select operation_id, status, changed, unchanged from counted
-- Workers may commit asynchronously, and a crash of the server may lose their last commits. This one must survive: an operator has seen the progress.
where (select set_config('synchronous_commit', 'on', true)) is not null
