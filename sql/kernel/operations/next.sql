-- The next running operations of a kind, one for each action: the one with the oldest last batch that no other worker holds. An operation waits
-- while its person is not confirmed.
-- $1 kind
-- returns operation_id, action, refusals
select o.operation_id, o.action, o.refusals from unnest(array['requeue', 'discard', 'retry', 'resend']) as a(action), lateral (
  select operation_id, action, refusals from operations
  where status = 'RUNNING' and kind = $1 and action = a.action and (actor not like 'user:%' or confirmed_until > now())
  order by turn_at limit 1 for update skip locked) o
