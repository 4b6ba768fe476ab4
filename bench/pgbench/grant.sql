-- A grant as one bare statement on the tables of ../plain/schema.sql: no lookup of the key, no response, no claim.
\set n random(1, 9000000000000)
with input as (
  select :n::bigint as n
), granted as (
  insert into entitlements (user_id, stock_keeping_unit, status, version, granted_at, source, source_id, updated_at)
  select 'user-' || n, 'item', 'ACTIVE', 1, now(), 'purchase', 'order-' || n, now() from input
), keyed as (
  insert into idempotency_keys (idem_key, request_hash, response_code, response_body, expires_at)
  select 'key-' || n, md5(n::text), 200, '{"status":"ACTIVE"}', now() + interval '1 day' from input
), announced as (
  insert into outbox_events (event_id, event_type, aggregate_key, payload)
  select uuidv7(), 'EntitlementGranted', 'user-' || n || ':' || 'item', jsonb_build_object('user_id', 'user-' || n, 'stock_keeping_unit', 'item', 'version', 1) from input
)
insert into entitlement_audit (user_id, stock_keeping_unit, action, source, source_id, detail)
select 'user-' || n, 'item', 'grant', 'purchase', 'order-' || n, '{}' from input;
