-- Processes a batch, or one item, of a running operation that publishes events again, with a new message id: events, audit and items at once.
-- Skips an event that was published after the operation began (another operation was faster), that notification was found to hold after all, or that
-- is so old that notification may have forgotten it. Waits for the lock of an event: skipping it would leave it out.
-- Two workers never process one operation at the same time: the second does not get its lock and does nothing.
-- $1 operation_id
-- $2 position?: only this item
-- $3 limit
-- returns operation_id, status, changed, unchanged
with operation as materialized (
  select operation_id, actor, reason, created_at, coalesce((filter ->> 'only_missing')::boolean, true) as only_missing from operations
  where operation_id = $1::uuid and status = 'RUNNING' for update skip locked
), batch as materialized (
  select i.position, i.subject from operation o, lateral (
    select position, subject from operation_items where operation_id = o.operation_id and result = 'PENDING'
      and position >= coalesce($2::int, 0) and position <= coalesce($2::int, 2147483647)
    order by position limit $3::int for update) i
), target as materialized (
  select event_id from outbox_events
  where event_id = any (array(select subject from batch)) and status = 'PUBLISHED' and published_at < (select created_at from operation)
    and (missing_at is not null or not (select only_missing from operation) and created_at > (select notification_remembers_after()))
  order by event_id for update
), back as (
  update outbox_events set status = 'PENDING', attempt_count = 0, next_retry_at = now(), publish_generation = publish_generation + 1,
    published_at = null, stream_seq = null, stream_duplicate = null, confirmed_at = null, missing_at = null
  where event_id = any (array(select event_id from target)) returning event_id, publish_generation
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select actor, 'outbox.resend', event_id::text, reason, jsonb_build_object('publish_generation', publish_generation, 'operation_id', operation_id)
  from back, operation
), settled as (
  update operation_items i set
    result = case when subject = any (array(select event_id from back)) then 'DONE' else 'SKIPPED' end,
    note = case when subject = any (array(select event_id from back)) then null else coalesce(
      (select case when status <> 'PUBLISHED' then 'it is ' || status
         when published_at >= (select created_at from operation) then 'it was published again meanwhile'
         when (select only_missing from operation) then 'notification holds it'
         else 'it is so old that notification may have forgotten it' end from outbox_events where event_id = i.subject),
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
-- Workers may commit asynchronously, and a crash of the server may lose their last commits. This one must survive: an operator has seen the progress.
where (select set_config('synchronous_commit', 'on', true)) is not null
