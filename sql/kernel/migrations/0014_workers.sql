-- The workers of this system, wherever they run. Each reports every few seconds, so the rows need not survive a crash of the server: unlogged.
create unlogged table workers (
  worker text primary key check (length(worker) between 1 and 200),
  role text not null check (length(role) between 1 and 100),
  version text not null check (length(version) between 1 and 100),
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  parts jsonb not null check (jsonb_typeof(parts) = 'object')             -- its parts with their troubles; null = none
) with (fillfactor = 50);                                                 -- a report updates its row in its page
grant select, insert, update, delete on workers to :"app";
