-- One operation with its progress. waits: the person who started it is not confirmed now.
-- $1 operation_id
-- returns operation_id, kind, action, filter, reason, actor, status, total, done, skipped, failed, created_at, finished_at?, cancelled_by?, stop_reason?, waits
select operation_id, kind, action, filter, reason, actor, status, total, done, skipped, failed,
  iso(created_at) as created_at, iso(finished_at) as finished_at, cancelled_by, stop_reason,
  status = 'RUNNING' and actor like 'user:%' and confirmed_until <= clock_timestamp() as waits
from operations where operation_id = $1::uuid
