-- The inbox, and the work of delivering it. PENDING → PROCESSING → SENT | PENDING (retry) | FAILED with its dead letter.
create table notifications (
  notification_id uuid primary key default uuidv7(),
  event_id uuid not null unique,
  user_id text not null, type text not null,
  aggregate_key text not null, aggregate_version bigint not null,
  stale boolean not null,
  payload jsonb not null,
  traceparent text not null,
  -- delivery
  channel text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'PROCESSING', 'SENT', 'FAILED')),
  attempt_count int not null default 0,                                   -- since the last requeue
  attempts_made int not null default 0,                                   -- ever
  next_retry_at timestamptz not null default clock_timestamp(),
  last_error text,
  -- the claim
  locked_by text, locked_at timestamptz, lease_until timestamptz, claim_token uuid,
  created_at timestamptz not null default clock_timestamp(), sent_at timestamptz,
  check ((status = 'PROCESSING') = (claim_token is not null)),
  check ((claim_token is null) = (lease_until is null)),
  check ((status = 'SENT') = (sent_at is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create index notifications_inbox on notifications (user_id, notification_id desc);
create index notifications_due on notifications (next_retry_at) where status = 'PENDING';
create index notifications_open on notifications (aggregate_key, aggregate_version) where status in ('PENDING', 'PROCESSING');
create index notifications_lease on notifications (lease_until) where status = 'PROCESSING';
create index notifications_sent on notifications (sent_at) where status = 'SENT';

-- Every attempt to deliver, kept with the notification.
create table notification_attempts (
  notification_id uuid not null references notifications on delete cascade,
  number int not null,
  worker text not null,
  started_at timestamptz not null, duration_ms int not null,
  outcome text not null check (outcome in ('sent', 'retry', 'dead')),
  error text,
  primary key (notification_id, number)
);

-- Dead letters: one a notification, written by the statement that fails it; a requeue marks it, a new failure renews it.
create table notification_dlq (
  notification_id uuid primary key references notifications on delete cascade,
  event_id uuid not null, user_id text not null,
  reason text not null, attempts int not null,
  payload jsonb not null,
  failed_at timestamptz not null default clock_timestamp(),
  requeued_at timestamptz, requeued_by text, requeue_reason text,
  check ((requeued_at is null) = (requeued_by is null))
);
create index notification_dlq_open on notification_dlq (notification_id) where requeued_at is null;

grant select, insert, update, delete on notifications to :"app";
grant select, insert, update, delete on notification_dlq to :"app";
grant select, insert on notification_attempts to :"app";
