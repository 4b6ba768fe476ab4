-- Claims events that are due, as the first documents have it. $1 how many, $2 worker.
with cte as (
  select event_id from outbox_events
  where (status = 'PENDING' and (next_retry_at is null or next_retry_at <= now())) or (status = 'IN_FLIGHT' and lease_until <= now())
  order by created_at
  limit $1
  for update skip locked
)
update outbox_events e
set status = 'IN_FLIGHT', locked_by = $2, locked_at = now(), lease_until = now() + interval '30 seconds', last_error = null
from cte
where e.event_id = cte.event_id
returning e.event_id, e.event_type, e.aggregate_key, e.payload, e.trace_id
