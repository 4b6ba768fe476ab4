-- The requests of all clients that used an idempotency key, newest first, each with its event. A refused change has no event.
-- The key is the last column of the primary key. It is looked up for each client and route; there are few of these.
-- $1 idem_key
-- $2 limit
-- returns client_id, route, request_hash, response_code, response_body, created_at, expires_at, expired, replays, replayed_at?, event_id?
select k.client_id, k.route, k.request_hash, k.response_code, k.response_body, iso(k.created_at) as created_at, iso(k.expires_at) as expires_at,
  k.expires_at <= now() as expired, k.replays, iso(k.replayed_at) as replayed_at, a.event_id
from (select * from idempotency_keys where idem_key = $1 order by created_at desc limit $2::int) k
left join lateral (
  select event_id from entitlement_audit a
  where k.response_code = 200 and a.user_id = k.response_body::jsonb ->> 'user_id'
    and a.stock_keeping_unit = k.response_body::jsonb ->> 'stock_keeping_unit' and a.version = (k.response_body::jsonb ->> 'version')::bigint
  order by at desc limit 1) a on true
order by k.created_at desc
