-- The check of confirmed events: whether the next one is due, whether it is late, where its pass continues, and what is missing, counted up to 10,000.
-- Ids and creation times differ in order by milliseconds, so the earliest is the least time, not that of the lowest id.
-- $1 every_seconds
-- returns due, is_late, asked_at, pass_before?, checked_at?, remembers_seconds?, full_pass_ended_at?, missing, more, missing_since?, earliest?, latest?, is_complete
select coalesce(checked_at <= now() - make_interval(secs => $1::float8), true) or not is_complete as due,
  coalesce(checked_at < now() - make_interval(secs => greatest(60, 3 * $1::float8)), false) as is_late, now() as asked_at, pass_before,
  iso(checked_at) as checked_at, remembers_seconds, iso(full_pass_ended_at) as full_pass_ended_at, least(missing, 10000)::int as missing, missing > 10000 as more,
  iso(missing_since) as missing_since, iso(earliest) as earliest,
  (select iso(created_at) from outbox_events where missing_at is not null order by event_id desc limit 1) as latest,
  is_complete
from reconciliation,
  lateral (select missing_since is null or coalesce(full_pass_started_at > missing_since, false) as is_complete) c,
  lateral (
    select count(*) as missing, min(created_at) as earliest
    from (select created_at from outbox_events where missing_at is not null order by event_id limit 10001) m
  ) m
where id = 1
