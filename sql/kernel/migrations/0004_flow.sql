-- What passed each step of the flow, minute by minute. Statistics: the workers count in memory and add to this every few seconds, so what a
-- crash takes with it is missing here, and a flush whose answer was lost may be counted twice. Nothing but charts may rely on it.
create table flow_minutes (
  minute timestamptz not null,
  step text not null check (step ~ '^[a-z_]{1,30}$'),
  count bigint not null check (count >= 0),
  buckets int[] not null default '{}',                                    -- how many took how long since the event occurred; the scale is in server/kernel/flow.ts
  primary key (minute, step),
  check (date_trunc('minute', minute, 'UTC') = minute)
) with (fillfactor = 70);                                                 -- the rows of this minute are updated again and again, in their page
grant select, insert, update, delete on flow_minutes to :"app";
