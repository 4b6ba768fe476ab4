-- Adds the counts of a worker to their minutes.
-- $1 minute
-- $2 step
-- $3 count
-- $4 buckets: each an array literal; their lengths may differ
-- returns minute, step
insert into flow_minutes as f (minute, step, count, buckets)
select minute, step, count, buckets::int[] from unnest($1::timestamptz[], $2::text[], $3::bigint[], $4::text[]) as n(minute, step, count, buckets)
order by minute, step                                                     -- one order for every worker: no deadlocks
on conflict (minute, step) do update set count = f.count + excluded.count, buckets = array(
  select coalesce(before, 0) + coalesce(added, 0) from unnest(f.buckets, excluded.buckets) with ordinality as b(before, added, place) order by place)
returning f.minute, f.step
