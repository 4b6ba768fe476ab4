-- A page of a client's orders, newest first. Each state is one range of the index, so a page reads at most $6 rows a state.
-- $1 client_id
-- $2 status: of these states
-- $3 before: accepted before this, or at it with a lower order_id: the place of the last order of the page before, or the end of the time range
-- $4 before_order_id
-- $5 since: accepted since this
-- $6 limit
-- returns idempotency_key, order_id, status, order_request_json, request_digest, accepted_at, settled_at?, attempts, outbox_status?, outcome_unknown, reason_code?, reason?, broker_order_id?, broker_answer?
select l.idempotency_key, l.order_id, l.status, l.order_request_json, l.request_digest, iso(l.accepted_at) as accepted_at, iso(l.settled_at) as settled_at,
  coalesce(o.attempts, l.attempts) as attempts, o.status as outbox_status, coalesce(o.outcome_unknown, false) as outcome_unknown,
  l.reason_code, l.reason, l.broker_order_id, l.broker_answer
from (
  select found.* from unnest($2::text[]) s(status), lateral (
    select * from idempo_ledger l
    where l.client_id = $1::text and l.status = s.status
      and (l.accepted_at, l.order_id) < ($3::timestamptz, $4::uuid) and l.accepted_at >= $5::timestamptz
    order by l.accepted_at desc, l.order_id desc limit $6::int) found
  order by found.accepted_at desc, found.order_id desc limit $6::int) l
  left join lateral (select * from outbox_orders o where o.idempotency_key = l.idempotency_key limit 1) o on true
order by l.accepted_at desc, l.order_id desc
