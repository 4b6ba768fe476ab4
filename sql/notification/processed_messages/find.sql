-- Whether a send was completed and has not expired.
-- $1 idempotency_key
-- returns completed
select status = 'completed' and expires_at > now() as completed from processed_messages where idempotency_key = $1
