-- The journey of events, newest first: the request, the audit row, and the outbox row, which is deleted after a while.
-- $1 event_id
-- returns event_id, event_type, user_id, stock_keeping_unit, aggregate_version, status?, attempt_count?, last_error?, created_at, published_at?, next_retry_at?, confirmed_at?, missing_at?, publish_generation?, stream_seq?, stream_duplicate?, trace_id, payload?, audit?, idempotency?
select i.event_id,
  coalesce(o.event_type, case a.status when 'ACTIVE' then 'EntitlementGranted' else 'EntitlementRevoked' end) as event_type,
  coalesce(a.user_id, o.payload ->> 'user_id') as user_id, coalesce(a.stock_keeping_unit, o.payload ->> 'stock_keeping_unit') as stock_keeping_unit,
  coalesce(o.aggregate_version, a.version) as aggregate_version, o.status, o.attempt_count, o.last_error,
  iso(coalesce(o.created_at, a.at)) as created_at, iso(o.published_at) as published_at, iso(o.next_retry_at) as next_retry_at,
  iso(o.confirmed_at) as confirmed_at, iso(o.missing_at) as missing_at, o.publish_generation, o.stream_seq, o.stream_duplicate,
  coalesce(split_part(o.traceparent, '-', 2), a.detail ->> 'trace_id') as trace_id, o.payload,
  case when a.event_id is not null then
    jsonb_build_object('at', iso(a.at), 'client_id', a.client_id, 'status', a.status, 'version', a.version, 'detail', a.detail) end as audit,
  (select jsonb_build_object('client_id', k.client_id, 'route', k.route, 'idem_key', k.idem_key, 'response_code', k.response_code,
      'created_at', iso(k.created_at), 'expires_at', iso(k.expires_at))
   from idempotency_keys k where (k.client_id, k.route, k.idem_key) = (a.client_id, a.detail ->> 'route', a.detail ->> 'idem_key')
     and k.created_at <= a.at limit 1) as idempotency                     -- a key used anew after it expired belongs to another change
from unnest($1::uuid[]) as i(event_id)
left join lateral (select * from outbox_events o where o.event_id = i.event_id limit 1) o on true
left join lateral (select * from entitlement_audit a where a.event_id = i.event_id limit 1) a on true
where o.event_id is not null or a.event_id is not null
order by i.event_id desc
