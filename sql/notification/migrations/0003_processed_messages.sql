-- Sends that leave the process: completed before a crash is settled after it, not repeated.
create table processed_messages (
  idempotency_key varchar(256) primary key,
  message_id varchar(256) not null,
  message_type varchar(100) not null,
  status varchar(20) not null check (status in ('processing', 'completed', 'failed')),
  started_at timestamptz not null,
  completed_at timestamptz,
  error text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index idx_processed_messages_expires_at on processed_messages (expires_at);
grant select, insert, update, delete on processed_messages to :"app";
