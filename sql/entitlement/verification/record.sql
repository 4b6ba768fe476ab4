-- Records a check. The pass goes on, unless another relay has moved it. When the first missing events are found, it starts again at the newest event:
-- the events that it has passed may be missing too.
-- $1 asked_at: before notification was asked
-- $2 pass_before?: where this page began
-- $3 next_before?: where the next one begins; null = the pass has reached the oldest event
-- returns is_complete
with found as materialized (
  select exists (select from outbox_events where missing_at is not null) as missing
)
update reconciliation r set checked_at = clock_timestamp(),
  missing_since = case when missing then coalesce(r.missing_since, clock_timestamp()) end,
  pass_before = case when missing and r.missing_since is null then null when r.pass_before is not distinct from $2::uuid then $3::uuid else r.pass_before end,
  pass_started_at = case when r.pass_before is null and $2::uuid is null then $1::timestamptz else r.pass_started_at end,
  full_pass_started_at = case when r.pass_before is not distinct from $2::uuid and $3::uuid is null
    then case when $2::uuid is null then $1::timestamptz else r.pass_started_at end else r.full_pass_started_at end,
  full_pass_ended_at = case when r.pass_before is not distinct from $2::uuid and $3::uuid is null then clock_timestamp() else r.full_pass_ended_at end
from found
where id = 1
returning new.missing_since is null or coalesce(new.full_pass_started_at > new.missing_since, false) as is_complete
