-- Marks these notifications of a user as read. Those of others, unsent and read ones do not change. Returns the rows that changed.
-- Locks in the order of positions, as read_up_to.sql does, so that two requests never deadlock.
-- $1 user_id
-- $2 notification_id
-- returns notification_id
with asked as materialized (
  select distinct n.position from unnest($2::uuid[]) as a(id), lateral (   -- limit: a lookup by id under every plan, filtered after it
    select user_id, position, read_at from notifications where notification_id = a.id limit 1) n
  where n.user_id = $1 and n.position > 0 and n.read_at is null
  order by n.position
), target as materialized (
  select n.place from asked a, lateral (
    select ctid as place from notifications where user_id = $1 and position = a.position and read_at is null limit 1 for update) n
)
update notifications set read_at = now() where ctid = any (array(select place from target)) returning notification_id
