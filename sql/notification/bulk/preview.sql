-- What a bulk action would touch: FAILED notifications that match; to retry, those that failed before and wait. Changes nothing.
-- $1 status?: RETRYING are those that failed before and wait
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in upper or lower case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?
-- $8 created_to?: not itself
-- $9 action: requeue, discard or retry
-- returns eligible, set_hash, sample
with eligible as materialized (
  select notification_id from notification_bulk_rows($9::text, $1::text, $2::text, $3::text, $4::text, $5::text, $6::int, $7::timestamptz, $8::timestamptz) as notification_id
)
select (select count(*)::int from eligible) as eligible,
  set_hash(array(select notification_id from eligible order by notification_id)) as set_hash,
  array(select notification_id from eligible order by notification_id desc limit 5) as sample
