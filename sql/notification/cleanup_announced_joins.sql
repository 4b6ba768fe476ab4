-- Deletes a batch of requests to join that were announced longer ago than the retention.
-- $1 retention_seconds: at least as long as an announcement counts
-- $2 limit
-- returns join_id
delete from announced_joins where ctid = any (array(
  select ctid from announced_joins where announced_at <= now() - make_interval(secs => $1::float8)
  order by announced_at limit $2::int for update skip locked))
returning join_id
