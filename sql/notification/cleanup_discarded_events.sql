-- Deletes a batch of discarded events older than the retention.
-- $1 retention_seconds
-- $2 limit
-- returns event_id
delete from discarded_events where ctid = any (array(
  select ctid from discarded_events where discarded_at < now() - make_interval(secs => $1::float8)
  order by discarded_at limit $2::int))
returning event_id
