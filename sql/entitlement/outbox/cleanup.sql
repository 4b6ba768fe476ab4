-- Deletes a batch of confirmed events older than the retention. FAILED ones stay for people, and those that notification lacks until they are published
-- again.
-- $1 retention_seconds
-- $2 limit
-- returns event_id
delete from outbox_events where ctid = any (array(
  select ctid from outbox_events
  where event_id < (select uuidv7(make_interval(secs => -$1::float8))) and confirmed_at is not null and missing_at is null   -- v7: the id is the age, no extra index
  order by event_id limit $2::int for update skip locked))
returning event_id
