-- What every system's database has. :"app" is the role the services connect as; it owns nothing.
grant usage on schema public to :"app";

-- A time as the API writes it: RFC 3339, UTC, microseconds.
create function iso(at timestamptz) returns text language sql immutable strict parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- Machine clients. A key is shown once; only its SHA-256 is here. Rotation adds a row with the same client_id.
create table api_keys (
  key_id text primary key check (key_id ~ '^[0-9a-z]{12}$'),
  client_id text not null check (char_length(client_id) between 1 and 100),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_client on api_keys (client_id);
grant select on api_keys to :"app";

-- What people did to this system's rows: one row an action, in the same transaction as the action. Append only.
create table operator_actions (
  action_id uuid primary key default uuidv7(),
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  action text not null,
  subject text not null,
  reason text not null,
  detail jsonb not null default '{}'
);
create index operator_actions_subject on operator_actions (subject, action_id desc);
grant select, insert on operator_actions to :"app";

-- Secrets that all replicas of the service share and nobody else needs, e.g. what signs list cursors.
create table secrets (name text primary key, value bytea not null);
insert into secrets values ('cursor', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
grant select on secrets to :"app";
