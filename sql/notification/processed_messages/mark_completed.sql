-- Records that the external system accepted the send.
-- $1 idempotency_key
-- returns idempotency_key
update processed_messages set status = 'completed', completed_at = now(), error = null, updated_at = now()
where idempotency_key = $1 returning idempotency_key
