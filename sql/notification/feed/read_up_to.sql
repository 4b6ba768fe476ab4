-- Marks a batch of a user's notifications as read, oldest first. Returns the rows that changed; after a full batch there may be more.
-- $1 user_id
-- $2 after_position: those up to here are not looked at
-- $3 up_to
-- $4 limit
-- returns position
with target as materialized (
  select ctid from notifications where user_id = $1 and position > $2::bigint and position <= $3::bigint and read_at is null
  order by position limit $4::int for update
)
update notifications set read_at = now() where ctid = any (array(select ctid from target)) returning position
