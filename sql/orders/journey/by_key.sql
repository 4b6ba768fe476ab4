-- The newest orders with these stored keys.
-- $1 idempotency_key
-- $2 limit
-- returns order_id, idempotency_key
select order_id, idempotency_key from idempo_ledger where idempotency_key = any($1::text[]) order by order_id desc limit $2::int
