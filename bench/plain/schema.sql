-- The tables of the first documents, as they are. Only what a statement looks for has an index.
create table entitlements (
  user_id text not null, stock_keeping_unit text not null,
  status text not null, version bigint not null,
  granted_at timestamptz, revoked_at timestamptz,
  source text not null, source_id text not null,
  updated_at timestamptz not null,
  primary key (user_id, stock_keeping_unit)
);

create table idempotency_keys (
  idem_key text primary key,
  request_hash text not null,
  response_code int, response_body text,                                  -- null until the change is made
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create table outbox_events (
  event_id uuid primary key,
  event_type text not null, aggregate_key text not null, payload jsonb not null,
  status text not null default 'PENDING',
  attempt_count int not null default 0, next_retry_at timestamptz,
  locked_by text, locked_at timestamptz, lease_until timestamptz,
  last_error text, trace_id text,
  created_at timestamptz not null default clock_timestamp(), published_at timestamptz
);
create index outbox_events_open on outbox_events (created_at) where status in ('PENDING', 'IN_FLIGHT');

create table entitlement_audit (
  audit_id bigint generated always as identity primary key,
  user_id text not null, stock_keeping_unit text not null,
  action text not null, source text not null, source_id text not null,
  detail jsonb not null, occurred_at timestamptz not null default now()
);
create index entitlement_audit_user on entitlement_audit (user_id, occurred_at);

create table processed_events (event_id uuid primary key, processed_at timestamptz not null default now());

create table notifications (
  notification_id uuid primary key,
  event_id uuid not null unique,
  user_id text not null, type text not null, payload jsonb not null,
  status text not null default 'PENDING',
  attempt_count int not null default 0, next_retry_at timestamptz,
  locked_by text, locked_at timestamptz, lease_until timestamptz,
  last_error text,
  created_at timestamptz not null default clock_timestamp(), sent_at timestamptz
);
create index notifications_open on notifications (created_at) where status in ('PENDING', 'PROCESSING');
create index notifications_user on notifications (user_id, created_at);
