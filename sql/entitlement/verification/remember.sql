-- Records how long notification keeps the ids of consumed events. It comes before the marks, which depend on it.
-- $1 remembers_seconds
-- returns remembers_seconds
update reconciliation set remembers_seconds = $1::float8 where id = 1 returning remembers_seconds
