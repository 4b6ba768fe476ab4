-- The match in which each request to join was announced to its player. While a row counts (TICKET_KEEP from announced_at on), another match with this
-- join_id is refused. It has what the answer to matchmaking needs, because a notification may be deleted earlier.
create table announced_joins (
  join_id uuid primary key,
  match_id uuid not null,
  event_id uuid not null,                                                 -- the notice: of its row in processed_events and of its notification
  announced_at timestamptz not null,                                      -- when the players were paired
  peer_user_ids text[] not null,
  session uuid not null
);
create index announced_joins_age on announced_joins (announced_at);

-- UPDATE is for the lock of the cleanup only: a row never changes.
grant select, insert, update, delete on announced_joins to :"app";
