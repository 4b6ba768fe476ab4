-- Ledger entries by their keys, with the state of their orders in the outbox. An order without an outbox row was cleaned up.
-- $1 idempotency_key: in their stored form
-- $2 settled_only: leave out entries that are accepted
-- returns idempotency_key, order_id, status, order_request_json, request_digest, accepted_at, settled_at?, attempts, outbox_status?, outcome_unknown, reason_code?, reason?, broker_order_id?, broker_answer?
select l.idempotency_key, l.order_id, l.status, l.order_request_json, l.request_digest, iso(l.accepted_at) as accepted_at, iso(l.settled_at) as settled_at,
  coalesce(o.attempts, l.attempts) as attempts, o.status as outbox_status, coalesce(o.outcome_unknown, false) as outcome_unknown,
  l.reason_code, l.reason, l.broker_order_id, l.broker_answer
from unnest($1::text[]) k(idempotency_key)
  cross join lateral (select * from idempo_ledger l where l.idempotency_key = k.idempotency_key and (l.status <> 'accepted' or not $2::boolean) limit 1) l
  left join lateral (select * from outbox_orders o where o.idempotency_key = l.idempotency_key limit 1) o on true
