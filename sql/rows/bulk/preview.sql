-- The :many that a bulk action would change, and the hash of their set: :failed ones that match, or to retry those that failed before and wait.
-- $1 status?: :retrying are those that failed before and wait
-- $2 type?
-- $3 user_id?
-- $4 error?: a part of the last error, in any case
-- $5 fingerprint?: of the last error
-- $6 min_attempts?
-- $7 created_from?: inclusive
-- $8 created_to?: exclusive
-- $9 action: requeue, discard or retry
-- returns eligible, set_hash, sample
with eligible as materialized (
  select :id from :bulk_rows($9::text, $1::text, $2::text, $3::text, $4::text, $5::text, $6::int, $7::timestamptz, $8::timestamptz) as :id
)
select (select count(*)::int from eligible) as eligible,
  set_hash(array(select :id from eligible order by :id)) as set_hash,
  array(select :id from eligible order by :id desc limit 5) as sample
