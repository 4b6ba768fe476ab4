-- Deletes a batch of minutes past their retention.
-- $1 retention_seconds
-- $2 limit
-- returns minute, step
delete from flow_minutes where ctid = any (array(
  select ctid from flow_minutes where minute < now() - make_interval(secs => $1::float8) order by minute limit $2::int for update skip locked))
returning minute, step
