-- Notes what the other systems say about an erasure.
-- $1 pseudonym
-- $2 systems: by name
-- returns pseudonym
update erasures set systems = $2::jsonb, updated_at = clock_timestamp() where pseudonym = $1 and state = 'WORKING' returning pseudonym
