-- Records the result of a walk of the reconciler.
-- $1 worker
-- $2 duration_ms
-- $3 outcome: done, away, unanswered or failed
-- $4 note?
-- $5 looked_at
-- $6 confirmed
-- $7 resent
-- returns finished_at
update reconciliation set finished_at = clock_timestamp(), started_at = clock_timestamp() - make_interval(secs => $2::float8 / 1000),
  worker = $1, outcome = $3, note = $4, looked_at = $5::int, confirmed = $6::int, resent = $7::int
where id = 1 returning finished_at
