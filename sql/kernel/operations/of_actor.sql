-- The running operations of one actor.
-- $1 actor
-- returns operation_id, action, total
select operation_id, action, total from operations where status = 'RUNNING' and actor = $1
