-- Notes what an erasure waits for, and how far a walk outside of the database is.
-- $1 pseudonym
-- $2 waiting_for
-- $3 progress: added to the present one
-- returns pseudonym
update erasures set waiting_for = $2::text[], progress = progress || $3::jsonb, updated_at = clock_timestamp()
where pseudonym = $1 and state = 'WORKING' returning pseudonym
