-- The newest position in the feed of a user, 0 if there is none.
-- $1 user_id
-- returns position
select coalesce((select position from inbox_positions where user_id = $1), 0) as position
