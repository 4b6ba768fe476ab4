-- Starts the erasure of a user in this system, and returns its state. A trigger writes the audit. Repeated, it only returns the state; but if data of the
-- user came after the end, the erasure begins again. Returns nothing if another erasure of the user is under way.
-- $1 pseudonym
-- $2 user_id
-- $3 emails
-- $4 requested_by
-- $5 reason
-- returns state, waiting_for, changed
with again as materialized (
  select state, waiting_for, changed from erase_again($1, $2, $3::text[])
), made as (
  insert into erasures (pseudonym, user_id, emails, requested_by, reason) select $1, $2, $3::text[], $4, $5
  where not exists (select from again) on conflict do nothing
  returning state, waiting_for, changed
)
select state, to_jsonb(waiting_for) as waiting_for, changed from again
union all select state, to_jsonb(waiting_for), changed from made
union all select state, to_jsonb(waiting_for), changed from erasures where pseudonym = $1 and not exists (select from again)
