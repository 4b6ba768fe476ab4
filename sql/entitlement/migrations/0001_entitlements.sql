-- Who owns what now. One row a (user, sku); the row is also the lock that orders changes of the pair.
create table entitlements (
  user_id text not null check (char_length(user_id) between 1 and 200),
  stock_keeping_unit text not null check (char_length(stock_keeping_unit) between 1 and 200 and position(':' in stock_keeping_unit) = 0),
  status text not null check (status in ('ACTIVE', 'REVOKED')),
  version bigint not null check (version > 0),
  granted_at timestamptz, revoked_at timestamptz,
  source text not null, source_id text not null,                          -- the reason and purchase of the last change
  updated_at timestamptz not null,
  primary key (user_id, stock_keeping_unit),
  check ((status = 'REVOKED') = (revoked_at is not null))
) with (fillfactor = 80);

-- One answer a (client, route, key). Written last, with the response, in the transaction of the effect.
create table idempotency_keys (
  client_id text not null, route text not null, idem_key text not null check (char_length(idem_key) between 1 and 255),
  request_hash text not null,
  response_code int not null check (response_code in (200, 409)),
  response_body text not null,                                            -- text, not json: replayed byte for byte
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (client_id, route, idem_key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

grant select, insert, update on entitlements to :"app";
grant select, insert, delete on idempotency_keys to :"app";
