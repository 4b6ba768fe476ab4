-- Accepts an order: ledger entry, history and outbox row are committed together. If the key is in the ledger, nothing is written and order_id is null: read
-- the entry then. A rival with the same key is waited for, so its entry is committed by then. An expires_at that is not in time is not stored either.
-- $1 idempotency_key: in its stored form
-- $2 client_id
-- $3 request_digest
-- $4 order_request: in its normal form
-- $5 expires_at?
-- $6 ahead_seconds: how far ahead expires_at may be
-- $7 traceparent
-- returns order_id?, accepted_at?, in_time
with input as (
  select uuidv7() as order_id, coalesce($5::timestamptz > now() and $5::timestamptz <= now() + make_interval(secs => $6::float8), true) as in_time
), entry as (
  insert into idempo_ledger (idempotency_key, order_id, client_id, request_digest, order_request_json, status)
  select $1::text, order_id, $2::text, $3::text, $4::jsonb, 'accepted' from input where in_time
  on conflict (idempotency_key) do nothing
  returning order_id, accepted_at
), recorded as (
  insert into idempo_ledger_history (order_id, actor, to_status, reason)
  select order_id, $2::text, 'accepted', 'the client placed the order' from entry
), queued as (
  insert into outbox_orders (idempotency_key, order_request_json, request_digest, status, expires_at, order_id, client_id, traceparent)
  select $1::text, $4::jsonb, $3::text, 'pending', $5::timestamptz, order_id, $2::text, $7::text from entry
)
select entry.order_id, iso(entry.accepted_at) as accepted_at, in_time from input left join entry on true
