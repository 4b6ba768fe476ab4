-- Deletes a batch of processed events older than the retention.
-- $1 retention_seconds
-- $2 limit
-- returns event_id
delete from processed_events where ctid = any (array(
  select ctid from processed_events where processed_at < now() - make_interval(secs => $1::float8)
  order by processed_at limit $2::int))
returning event_id
