-- Events on their way to the stream. PENDING → IN_FLIGHT → PUBLISHED | PENDING (retry) | FAILED.
create table outbox_events (
  event_id uuid primary key,                                              -- v7, so also its age
  event_type text not null check (event_type in ('EntitlementGranted', 'EntitlementRevoked')),
  aggregate_key text not null, aggregate_version bigint not null,
  payload jsonb not null,                                                 -- the event's facts; the relay encodes them
  traceparent text not null,
  -- delivery
  status text not null default 'PENDING' check (status in ('PENDING', 'IN_FLIGHT', 'PUBLISHED', 'FAILED')),
  attempt_count int not null default 0,
  next_retry_at timestamptz not null,
  last_error text,
  publish_generation int not null default 0,                              -- part of the message id: a new one gets past the duplicate window
  -- the claim
  locked_by text, locked_at timestamptz, lease_until timestamptz, claim_token uuid,
  -- what the stream answered, and whether notification is known to hold the event
  created_at timestamptz not null, published_at timestamptz,
  stream_seq bigint, stream_duplicate boolean,
  confirmed_at timestamptz,
  check ((status = 'IN_FLIGHT') = (claim_token is not null)),
  check ((claim_token is null) = (lease_until is null)),
  check (status <> 'PUBLISHED' or published_at is not null),
  check (confirmed_at is null or status = 'PUBLISHED')
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create index outbox_due on outbox_events (next_retry_at) where status = 'PENDING';          -- retries wait above now(): never scanned
create index outbox_open on outbox_events (aggregate_key, aggregate_version) where status in ('PENDING', 'IN_FLIGHT');
create index outbox_lease on outbox_events (lease_until) where status = 'IN_FLIGHT';
create index outbox_unconfirmed on outbox_events (published_at, event_id) where status = 'PUBLISHED' and confirmed_at is null;
create index outbox_failed on outbox_events (event_id) where status = 'FAILED';

-- What the stream looked like when last asked: a new incarnation or a lower last_seq means that it lost messages,
-- and what was published before resend_before and is not confirmed goes out again.
create table outbox_stream (
  stream text primary key,
  incarnation text not null,
  last_seq bigint not null,
  resend_before timestamptz,
  observed_at timestamptz not null default now()
);

grant select, insert, update, delete on outbox_events to :"app";
grant select, insert, update on outbox_stream to :"app";
