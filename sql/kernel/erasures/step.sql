-- Does the next part of an erasure, as the owner of the tables, and returns whether there is more to do now.
-- $1 pseudonym
-- $2 batch: the most rows of a step
-- returns more
select erase_user($1, $2::int) as more
