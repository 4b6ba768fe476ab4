-- Deletes a batch of notifications sent longer ago than the retention, with their attempts and dead letters. FAILED ones stay.
-- $1 retention_seconds
-- $2 limit
-- returns notification_id
delete from notifications where ctid = any (array(
  select ctid from notifications where status = 'SENT' and sent_at < now() - make_interval(secs => $1::float8)
  order by sent_at limit $2::int for update skip locked))
returning notification_id
