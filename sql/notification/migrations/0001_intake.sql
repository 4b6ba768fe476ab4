-- Every event taken in, once: the line of defence against duplicates, and what the outbox asks about.
create table processed_events (
  event_id uuid primary key,
  event_type text not null,
  aggregate_key text not null, aggregate_version bigint not null,
  stale boolean not null,                                                 -- a newer version of the aggregate was taken in before
  stream_seq bigint not null,
  processed_at timestamptz not null default clock_timestamp()
);
create index processed_events_age on processed_events (processed_at);

-- The newest version taken in of each aggregate; also the lock that orders two consumers on one aggregate.
create table newest_versions (aggregate_key text primary key, version bigint not null) with (fillfactor = 80);

-- Messages that could not be read, as they came.
create table notification_nats_dlq (
  id uuid primary key default uuidv7(),
  stream text not null, stream_seq bigint not null, subject text not null,
  headers jsonb not null, data bytea not null,
  event_id uuid,                                                          -- from the message id, if it has one
  reason text not null,
  received_at timestamptz not null default clock_timestamp(),
  reprocessed_at timestamptz,
  data_hash bytea not null generated always as (sha256(data)) stored,
  unique (stream, stream_seq, data_hash)                                  -- a redelivery is the same row; a new stream may count from 1 again
);
create index notification_nats_dlq_event on notification_nats_dlq (event_id);
create index notification_nats_dlq_open on notification_nats_dlq (id) where reprocessed_at is null;

grant select, insert, delete on processed_events to :"app";
grant select, insert, update on newest_versions to :"app";
grant select, insert, update, delete on notification_nats_dlq to :"app";
