-- How often a stored answer was given again, for people who wonder about a key. Counted by the API in memory and written now and then,
-- never with the answer itself: a crash may lose some.
-- No index has these columns, and a tenth of each page is left free, so that counting moves a row within its page (a HOT update) and writes
-- no index. Retries come soon after the first request, when the page is still the one being filled.
alter table idempotency_keys
  add column replays bigint not null default 0,
  add column replayed_at timestamptz;                                     -- when the last ones were written down: up to some seconds late
alter table idempotency_keys set (fillfactor = 90);

grant update (replays, replayed_at) on idempotency_keys to :"app";
