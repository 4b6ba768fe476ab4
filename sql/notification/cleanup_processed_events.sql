-- Deletes a batch of processed events older than the retention, and notes up to when they are gone.
-- $1 retention_seconds
-- $2 limit
-- returns event_id
with gone as (
  delete from processed_events where ctid = any (array(
    select ctid from processed_events where processed_at < now() - make_interval(secs => $1::float8)
    order by processed_at limit $2::int))
  returning event_id, processed_at
), noted as (
  update processed_events_horizon set deleted_up_to = greatest(deleted_up_to, (select max(processed_at) from gone)) where exists (select from gone)
)
select event_id from gone
