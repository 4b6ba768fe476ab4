-- Adds what a worker counted to the minutes it counted it in.
-- $1 minute
-- $2 step
-- $3 count
-- $4 buckets: each as an array literal; those of one row may be fewer than another's
-- returns minute, step
insert into flow_minutes as f (minute, step, count, buckets)
select minute, step, count, buckets::int[] from unnest($1::timestamptz[], $2::text[], $3::bigint[], $4::text[]) as n(minute, step, count, buckets)
order by minute, step                                                     -- one order for everyone: two workers never wait for each other in a circle
on conflict (minute, step) do update set count = f.count + excluded.count, buckets = array(
  select coalesce(before, 0) + coalesce(added, 0) from unnest(f.buckets, excluded.buckets) with ordinality as b(before, added, place) order by place)
returning f.minute, f.step
