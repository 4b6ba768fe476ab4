-- An erasure: by its pseudonym, or by the user while it is not done. An erased user is known by the UUID of the pseudonym.
-- $1 id
-- returns pseudonym, requested_by, reason, state, systems, changed, requested_at, updated_at, done_at?
select pseudonym, requested_by, reason, state, systems, changed, iso(requested_at) as requested_at, iso(updated_at) as updated_at, iso(done_at) as done_at
from erasures where pseudonym in ($1, 'erased-' || $1) or user_id = $1
