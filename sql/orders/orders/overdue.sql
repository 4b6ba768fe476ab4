-- An order that a sender could have claimed and has not: due for $1 seconds and not locked. It takes the same lock as a claim, so it fails on a
-- read-only database.
-- $1 overdue_seconds
-- returns order_id
select order_id from outbox_orders
where status in ('pending', 'failed') and next_attempt_at <= now() - make_interval(secs => $1::float8)
order by next_attempt_at limit 1 for update skip locked
