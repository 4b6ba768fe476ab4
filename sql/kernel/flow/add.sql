-- Adds the counts of a worker to their minutes, and keeps the slowest event.
-- $1 minute
-- $2 step
-- $3 count
-- $4 buckets: each an array literal; their lengths may differ
-- $5 slowest_id?: null if none was timed
-- $6 slowest_ms?: its time
-- returns minute, step
insert into flow_minutes as f (minute, step, count, buckets, slowest_id, slowest_ms)
select minute, step, count, buckets::int[], slowest_id, slowest_ms
from unnest($1::timestamptz[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[]) as n(minute, step, count, buckets, slowest_id, slowest_ms)
order by minute, step                                                     -- one order for every worker: no deadlocks
on conflict (minute, step) do update set count = f.count + excluded.count, buckets = array(
  select coalesce(before, 0) + coalesce(added, 0) from unnest(f.buckets, excluded.buckets) with ordinality as b(before, added, place) order by place),
  slowest_id = case when excluded.slowest_ms > coalesce(f.slowest_ms, -1) then excluded.slowest_id else f.slowest_id end,
  slowest_ms = greatest(f.slowest_ms, excluded.slowest_ms)
returning f.minute, f.step
