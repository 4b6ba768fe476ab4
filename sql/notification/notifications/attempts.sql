-- The last 100 attempts of a notification, newest first. A requeue allows new attempts, so there may be any number.
-- $1 notification_id
-- returns number, worker, started_at, duration_ms, outcome, error?
select number, worker, iso(started_at) as started_at, duration_ms, outcome, error from delivery_attempts
where notification_id = $1::uuid order by number desc limit 100
