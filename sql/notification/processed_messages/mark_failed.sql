-- Records that a send failed; it may be tried again. One that was completed meanwhile stays completed.
-- $1 idempotency_key
-- $2 error
-- returns idempotency_key
update processed_messages set status = 'failed', error = $2, updated_at = now()
where idempotency_key = $1 and status <> 'completed' returning idempotency_key
