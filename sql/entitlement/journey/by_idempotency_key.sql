-- The requests of all clients that used an idempotency key, with their events; a refused change has none. The key is the last column of the
-- primary key, so it is looked up for each client and route, which are few.
-- $1 idem_key
-- $2 limit
-- returns client_id, route, response_code, event_id?
select k.client_id, k.route, k.response_code, a.event_id
from (select * from idempotency_keys where idem_key = $1 order by created_at desc limit $2::int) k
left join lateral (
  select event_id from entitlement_audit a
  where k.response_code = 200 and a.user_id = k.response_body::jsonb ->> 'user_id'
    and a.stock_keeping_unit = k.response_body::jsonb ->> 'stock_keeping_unit' and a.version = (k.response_body::jsonb ->> 'version')::bigint
  order by at desc limit 1) a on true
order by a.event_id desc nulls last
