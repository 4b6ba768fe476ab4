-- Adds to the replay counts of keys. It never waits for a lock: a locked key, for example one that expired and is being deleted, keeps its count.
-- $1 client_id
-- $2 route
-- $3 idem_key
-- $4 replays
-- returns idem_key
with counted as materialized (                                            -- lateral with limit: index lookups under every plan
  select k.place, c.replays
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as c(client_id, route, idem_key, replays), lateral (
    select k.ctid as place from idempotency_keys k
    where (k.client_id, k.route, k.idem_key) = (c.client_id, c.route, c.idem_key) and k.expires_at > now()
    limit 1 for no key update skip locked) k
)
update idempotency_keys k set replays = k.replays + c.replays, replayed_at = now()
from counted c where k.ctid = c.place
returning k.idem_key
