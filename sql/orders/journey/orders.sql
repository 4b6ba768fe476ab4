-- The journey of orders, newest first: the ledger's entry with its history (the last 100 changes), and the outbox row with the last 100 calls to the
-- broker. A settled order leaves the outbox after its retention, with its calls; then `outbox` is null.
-- $1 order_id
-- returns order_id, idempotency_key, client_id, request, status, reason_code?, reason?, broker_order_id?, broker_answer?, accepted_at, settled_at?, outbox?, calls, history
select l.order_id, l.idempotency_key, l.client_id, l.order_request_json as request, l.status, l.reason_code, l.reason, l.broker_order_id, l.broker_answer,
  iso(l.accepted_at) as accepted_at, iso(l.settled_at) as settled_at,
  (select jsonb_build_object('status', o.status, 'attempts', o.attempts, 'outcome_unknown', o.outcome_unknown, 'last_error_code', o.last_error_code,
      'last_error_msg', o.last_error_msg, 'next_attempt_at', iso(o.next_attempt_at), 'expires_at', iso(o.expires_at),
      'trace_id', split_part(o.traceparent, '-', 2))
   from outbox_orders o where o.order_id = l.order_id limit 1) as outbox,
  (select coalesce(jsonb_agg(jsonb_build_object('number', number, 'kind', kind, 'worker', worker, 'adapter', adapter, 'started_at', iso(started_at),
      'duration_ms', duration_ms, 'outcome', outcome, 'code', code, 'message', message) order by number desc), '[]')
   from (select * from order_attempts a where a.order_id = l.order_id order by number desc limit 100) a) as calls,
  (select coalesce(jsonb_agg(jsonb_build_object('entry_id', entry_id, 'at', iso(at), 'actor', actor, 'from_status', from_status, 'to_status', to_status,
      'reason', reason) order by entry_id), '[]')
   from (select * from idempo_ledger_history h where h.order_id = l.order_id order by entry_id desc limit 100) h) as history
from idempo_ledger l
where l.order_id = any($1::uuid[])
order by l.order_id desc
