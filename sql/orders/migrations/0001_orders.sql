-- Orders on their way to the broker. pending → sending → succeeded | failed (waits for its next attempt) | aborted. An order whose lease ended goes back to
-- pending. The first columns are the seed's; the others are below them.
create table outbox_orders (
  id bigserial primary key,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  idempotency_key text not null,                                          -- <client id, percent-encoded>:<the client's key>
  order_request_json jsonb not null,                                      -- OrderRequest v1.1 in its normal form
  request_digest text not null,                                           -- SHA-256 of the normal form
  status text not null check (status in ('pending', 'sending', 'succeeded', 'failed', 'aborted')),
  attempts int not null default 0,                                        -- sends since the last requeue
  last_error_code text,
  last_error_msg text,
  locked_by text,
  locked_at timestamptz,
  expires_at timestamptz,                                                 -- not sent after this
  -- for operators
  order_id uuid not null default uuidv7() unique,
  client_id text not null,
  traceparent text not null,
  failed_at timestamptz,                                                  -- the last failed attempt, or when it was aborted
  settled_at timestamptz,
  -- delivery
  queued_at timestamptz not null default now(),                           -- accepted, or requeued
  next_attempt_at timestamptz not null default now(),
  lease_until timestamptz,
  claim_token uuid,
  outcome_unknown boolean not null default false,                         -- an attempt may have reached the broker; the broker is asked first
  unknown_since timestamptz,
  asks int not null default 0,                                            -- asks without an answer since the outcome became unknown
  calls int not null default 0,                                           -- rows in order_attempts
  requeues int not null default 0,
  -- The key at the broker. A requeued order gets a new one: about the old key the broker would answer with what became of the old order.
  broker_key text not null generated always as (case requeues when 0 then idempotency_key else requeues::text || '@' || idempotency_key end) stored,
  constraint uq_outbox_idempo unique (idempotency_key),
  check ((status = 'sending') = (claim_token is not null)),
  check ((claim_token is null) = (lease_until is null)),
  check ((status in ('succeeded', 'aborted')) = (settled_at is not null)),
  check (not (outcome_unknown and settled_at is not null)),               -- an unknown outcome is never settled
  check (status not in ('failed', 'aborted') or failed_at is not null),
  check (status <> 'aborted' or last_error_code is not null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create index idx_outbox_status on outbox_orders (status);
create index idx_outbox_locked_at on outbox_orders (locked_at);

-- The sender: what is due, whose lease ended, what gives up.
create index outbox_orders_due on outbox_orders (next_attempt_at) where status in ('pending', 'failed');
create index outbox_orders_lease on outbox_orders (lease_until) where status = 'sending';
create index outbox_orders_queued on outbox_orders (queued_at) where status in ('pending', 'failed');
create index outbox_orders_tried on outbox_orders (queued_at) where status in ('pending', 'failed', 'sending') and next_attempt_at > queued_at;
create index outbox_orders_expiry on outbox_orders (expires_at) where status in ('pending', 'failed') and expires_at is not null;
create index outbox_orders_settled on outbox_orders (settled_at)
  where status = 'succeeded' or status = 'aborted' and last_error_code in ('CANCELLED', 'EXPIRED', 'RESOLVED_FAILED');

-- Operators.
create index outbox_orders_unknown on outbox_orders (order_id) where outcome_unknown;
create index outbox_orders_client on outbox_orders (client_id, order_id desc);

-- Every call to the broker, kept with the order.
create table order_attempts (
  order_id uuid not null references outbox_orders (order_id) on delete cascade,
  number int not null,
  kind text not null check (kind in ('send', 'ask')),
  worker text not null,
  adapter text not null,
  started_at timestamptz not null,
  duration_ms int not null,
  outcome text not null check (outcome in ('succeeded', 'retryable', 'final', 'unknown', 'working', 'not_known', 'no_answer')),
  code text,
  message text,
  primary key (order_id, number)
);

-- What a client's key stands for. It outlives the outbox row.
create table idempo_ledger (
  idempotency_key text primary key,
  order_id uuid not null,
  client_id text not null,
  request_digest text not null,
  order_request_json jsonb not null,
  status text not null check (status in ('accepted', 'succeeded', 'failed')),
  reason_code text,
  reason text,
  broker_order_id text,
  broker_answer jsonb,
  attempts int not null default 0,                                        -- when it was settled
  accepted_at timestamptz not null default now(),
  settled_at timestamptz,
  check ((status = 'accepted') = (settled_at is null)),
  check (status <> 'failed' or reason_code is not null)
) with (fillfactor = 80);
create unique index idempo_ledger_order on idempo_ledger (order_id);
create index idempo_ledger_client on idempo_ledger (client_id, status, accepted_at desc, order_id desc);
create index idempo_ledger_settled on idempo_ledger (settled_at) where settled_at is not null;

-- Every change of a ledger entry's status: who, when, from, to, why. Append only.
create table idempo_ledger_history (
  order_id uuid not null references idempo_ledger (order_id) on delete cascade,
  entry_id uuid not null default uuidv7(),
  at timestamptz not null default clock_timestamp(),
  actor text not null,                                                    -- the client, the worker or the operator
  from_status text,
  to_status text not null,
  reason text not null,
  primary key (order_id, entry_id)
);

grant select, insert, update, delete on outbox_orders to :"app";
grant usage on sequence outbox_orders_id_seq to :"app";
grant select, insert on order_attempts to :"app";
grant select, insert, update, delete on idempo_ledger to :"app";
grant select, insert on idempo_ledger_history to :"app";
