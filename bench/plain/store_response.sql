-- Stores the response with its request key. $1 key, $2 status, $3 body.
update idempotency_keys set response_code = $2, response_body = $3 where idem_key = $1
