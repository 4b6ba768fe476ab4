-- The state of an order, for an operator who asks the broker about it.
-- $1 order_id
-- returns order_id, idempotency_key, status, outcome_unknown
select order_id, idempotency_key, status, outcome_unknown from outbox_orders where order_id = $1::uuid
