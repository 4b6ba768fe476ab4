-- Events whose unreadable message an operator discarded. They count as held, as long as processed events do: entitlement must neither take them for
-- lost nor publish them again.
create table discarded_events (event_id uuid primary key, discarded_at timestamptz not null default clock_timestamp());
create index discarded_events_age on discarded_events (discarded_at);
insert into discarded_events
  select distinct on (event_id) event_id, at from (
    select (detail ->> 'event_id')::uuid as event_id, at from operator_actions
    where action = 'raw_dead_letter.discard' and detail ->> 'event_id' is not null and detail ->> 'untrusted' is null) discarded
  order by event_id, at desc;
grant select, insert, update, delete on discarded_events to :"app";

-- Up to when processed events were deleted. Entitlement takes only newer events for lost: the setting of the retention may have been shorter before.
create table processed_events_horizon (id int primary key default 1 check (id = 1), deleted_up_to timestamptz);
insert into processed_events_horizon default values;
-- Deletions before this migration were not noted: in a table older than a day the oldest row is the limit.
update processed_events_horizon set deleted_up_to = (select min(processed_at) from processed_events)
where (select min(processed_at) from processed_events) < now() - interval '1 day';
grant select, update on processed_events_horizon to :"app";
