-- The running operations of a kind that are next, one an action: the one whose last batch is longest ago and that nobody works on now. One
-- whose person is not confirmed waits.
-- $1 kind
-- returns operation_id, action, refusals
select o.operation_id, o.action, o.refusals from unnest(array['requeue', 'discard', 'retry']) as a(action), lateral (
  select operation_id, action, refusals from operations
  where status = 'RUNNING' and kind = $1 and action = a.action and (actor not like 'user:%' or confirmed_until > now())
  order by turn_at limit 1 for update skip locked) o
