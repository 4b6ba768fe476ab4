-- Grants or revokes a batch in one transaction: key, effect, event, audit and stored response are committed together. A row of the
-- input is one request; no two rows of a batch may share a key or a (user, sku). A lost race for a key raises unique_violation on
-- idempotency_keys_pkey: run the same batch again and it is replayed. With a token it also claims the new events whose aggregate has no other
-- open event: the worker that wrote them publishes them.
-- $1 client_id
-- $2 route
-- $3 idem_key
-- $4 request_hash
-- $5 ttl_seconds: how long the key holds
-- $6 user_id
-- $7 stock_keeping_unit
-- $8 target: ACTIVE or REVOKED
-- $9 source: the request's reason
-- $10 source_id: its purchase_id
-- $11 traceparent
-- $12 conflict_body: the response if the pair has the target state already
-- $13 operator_reason?: the reason, if an operator makes the change; then the change gets an operator_actions row
-- $14 worker?
-- $15 token?: null = claim nothing
-- $16 lease_seconds?
-- $17 stream?: where the events are published
-- $18 resend_before?: the resend_before this worker last read. If the stored one is newer, nothing is claimed: lost events go first
-- returns n, replayed, same_request, response_code, response_body, claimed_id?, claimed_payload?
with request as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
    with ordinality as r(client_id, route, idem_key, request_hash, user_id, sku, target, source, source_id, traceparent, conflict_body, operator_reason, n)
), known as materialized (                                                -- lateral with limit: index lookups under every plan
  select r.n, k.ctid, k.response_code, k.response_body, k.expires_at > now() as live, k.request_hash = r.request_hash as same_request
  from request r, lateral (
    select k.ctid, k.* from idempotency_keys k where (k.client_id, k.route, k.idem_key) = (r.client_id, r.route, r.idem_key) limit 1) k
), fresh as materialized (
  select * from request r where not exists (select from known where known.n = r.n and live)
  order by user_id, sku                                                   -- one lock order for all
), expired as (
  delete from idempotency_keys where ctid = any (array(select ctid from known where not live)) returning 1
), changed as (                                                           -- clock_timestamp after the row lock: times never go backwards in a pair
  insert into entitlements as e (user_id, stock_keeping_unit, status, granted_at, revoked_at, source, source_id, version, updated_at)
  select user_id, sku, target, case target when 'ACTIVE' then now() end, case target when 'REVOKED' then now() end, source, source_id, 1, clock_timestamp()
  from fresh
  on conflict (user_id, stock_keeping_unit) do update
    set status = excluded.status, source = excluded.source, source_id = excluded.source_id, version = e.version + 1,
        granted_at = coalesce(excluded.granted_at, e.granted_at), revoked_at = excluded.revoked_at,
        updated_at = greatest(clock_timestamp(), e.updated_at)
    where e.status <> excluded.status
  returning new.user_id, new.stock_keeping_unit as sku, new.status, new.version, new.updated_at, iso(new.updated_at) as updated_text,
    old.updated_at as previous_at, old.ctid as place
), free as materialized (                                                 -- no open event, and no other change of the pair since this statement began
  select user_id, sku from changed c
  where $15::uuid is not null and (select resend_before from outbox_stream where stream = $17::text) is not distinct from $18::timestamptz
    and place is not distinct from (select e.ctid from entitlements e where (e.user_id, e.stock_keeping_unit) = (c.user_id, c.sku))
    and (select aggregate_version from outbox_events e                    -- limit 1, not NOT EXISTS: it cannot become a hash join; the range: see claim.sql
         where e.aggregate_key = c.user_id || ':' || c.sku and e.aggregate_version between c.version - 24 and c.version - 1
           and e.status in ('PENDING', 'IN_FLIGHT')
         order by e.aggregate_version desc limit 1) is null
), outcome as materialized (
  select f.*, uuidv7() as event_id, c.version, c.updated_at, c.previous_at, (user_id, sku) in (select user_id, sku from free) as at_once,
    jsonb_build_object('user_id', user_id, 'stock_keeping_unit', sku, 'source', f.source, 'source_id', f.source_id,
      'version', c.version, 'occurred_at', c.updated_text) as payload,
    case when c.version is null then 409 else 200 end as response_code,
    case when c.version is null then f.conflict_body else (select row_to_json(body)::text from (
      select c.user_id, c.sku as stock_keeping_unit, c.status, c.version, c.updated_text as updated_at) body) end as response_body
  from fresh f left join changed c using (user_id, sku)
), stored as (                                                            -- the count: expired keys are gone before this insert
  insert into idempotency_keys (client_id, route, idem_key, request_hash, response_code, response_body, expires_at)
  select client_id, route, idem_key, request_hash, response_code, response_body, now() + make_interval(secs => $5::float8)
  from outcome where (select count(*) from expired) >= 0
), announced as (
  insert into outbox_events (event_id, event_type, aggregate_key, aggregate_version, payload, traceparent, next_retry_at, created_at,
    status, locked_by, locked_at, lease_until, claim_token)
  select event_id, case target when 'ACTIVE' then 'EntitlementGranted' else 'EntitlementRevoked' end, user_id || ':' || sku, version,
    payload, traceparent, updated_at, updated_at,
    case when at_once then 'IN_FLIGHT' else 'PENDING' end, case when at_once then $14::text end, case when at_once then now() end,
    case when at_once then now() + make_interval(secs => $16::float8) end, case when at_once then $15::uuid end
  from outcome where version is not null
  returning event_id, status, payload
), audited as (
  insert into entitlement_audit (at, event_id, user_id, stock_keeping_unit, status, version, previous_at, client_id, detail)
  select updated_at, event_id, user_id, sku, target, version, previous_at, client_id,
    jsonb_build_object('reason', source, 'purchase_id', source_id, 'trace_id', split_part(traceparent, '-', 2), 'route', route, 'idem_key', idem_key)
  from outcome where version is not null
), noted as (
  insert into operator_actions (actor, action, subject, reason, detail)
  select client_id, case target when 'ACTIVE' then 'entitlement.grant' else 'entitlement.revoke' end, event_id::text, operator_reason,
    jsonb_build_object('user_id', user_id, 'stock_keeping_unit', sku, 'version', version, 'purchase_id', source_id)
  from outcome where version is not null and operator_reason is not null
)
select n, false as replayed, true as same_request, response_code, response_body,
  a.event_id as claimed_id, a.payload as claimed_payload
from outcome o left join announced a on a.event_id = o.event_id and a.status = 'IN_FLIGHT'
union all
select n, true, same_request, response_code, response_body, null, null from known where live
