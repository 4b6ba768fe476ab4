-- The events that a resend would publish again, their span of time, and the hash of their set.
-- $1 only_missing
-- $2 since?: inclusive
-- $3 until?: exclusive
-- $4 user_id?
-- $5 event_id: only these; empty = all
-- returns eligible, set_hash, sample, earliest?, latest?
with reach as materialized (                                              -- ids are v7, so a span of time is a range of ids
  select lowest_id($2::timestamptz) as low, highest_id($3::timestamptz) as high
), eligible as materialized (
  select event_id from reach,
    lateral outbox_resend_rows($1::boolean, $2::timestamptz, $3::timestamptz, low, high, $4::text, nullif($5::uuid[], '{}')) as event_id
)
select (select count(*)::int from eligible) as eligible,
  set_hash(array(select event_id from eligible order by event_id)) as set_hash,
  array(select event_id from eligible order by event_id desc limit 5) as sample,
  (select iso(created_at) from outbox_events where event_id = (select event_id from eligible order by event_id limit 1)) as earliest,
  (select iso(created_at) from outbox_events where event_id = (select event_id from eligible order by event_id desc limit 1)) as latest
