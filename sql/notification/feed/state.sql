-- The newest position in the feed of a user, 0 if there is none, and the number of unread ones, counted up to 1,000.
-- $1 user_id
-- returns position, unread
select coalesce((select position from inbox_positions where user_id = $1), 0) as position,
  (select count(*)::int from (select from notifications where user_id = $1 and position > 0 and read_at is null limit 1000) c) as unread
