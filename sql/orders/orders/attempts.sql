-- The last 100 calls to the broker about an order, newest first. A requeue allows new ones, so there may be any number.
-- $1 order_id
-- returns number, kind, worker, adapter, started_at, duration_ms, outcome, code?, message?
select number, kind, worker, adapter, iso(started_at) as started_at, duration_ms, outcome, code, message from order_attempts
where order_id = $1::uuid order by number desc limit 100
