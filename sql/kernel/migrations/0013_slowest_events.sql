-- The slowest event of a step in a minute: the example behind a bad number. Statistics as the rest of the row, and deleted with it. The row that it
-- names may be deleted before.
alter table flow_minutes
  add column slowest_id text check (length(slowest_id) between 1 and 100),
  add column slowest_ms bigint check (slowest_ms >= 0),
  add check ((slowest_id is null) = (slowest_ms is null));
