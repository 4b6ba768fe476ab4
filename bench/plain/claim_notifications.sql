-- Claims notifications that are due. $1 how many, $2 worker.
with cte as (
  select notification_id from notifications
  where (status = 'PENDING' and (next_retry_at is null or next_retry_at <= now())) or (status = 'PROCESSING' and lease_until <= now())
  order by created_at
  limit $1
  for update skip locked
)
update notifications n
set status = 'PROCESSING', locked_by = $2, locked_at = now(), lease_until = now() + interval '30 seconds', last_error = null
from cte
where n.notification_id = cte.notification_id
returning n.notification_id
