-- Settles an event that could not be published. $1 event id, $2 worker, $3 error.
update outbox_events
set attempt_count = attempt_count + 1,
    status = case when attempt_count + 1 >= 10 then 'FAILED' else 'PENDING' end,
    next_retry_at = case when attempt_count + 1 >= 10 then null
      else now() + make_interval(secs => least(60, power(2, attempt_count)) * (0.5 + random())) end,
    lease_until = null, last_error = $3
where event_id = $1 and locked_by = $2
