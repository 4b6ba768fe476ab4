-- The response that is stored with a request key. $1 key.
select request_hash, response_code, response_body from idempotency_keys where idem_key = $1
