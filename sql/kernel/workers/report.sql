-- Reports that a worker lives, and how its parts are. Also deletes workers that have not reported for an hour. The times are the database's.
-- $1 worker
-- $2 role
-- $3 version
-- $4 parts
-- returns worker
with gone as (
  delete from workers where ctid = any (array(
    select ctid from workers where seen_at < clock_timestamp() - interval '1 hour' and worker <> $1::text for update skip locked)))
insert into workers (worker, role, version, parts) values ($1::text, $2::text, $3::text, $4::jsonb)
on conflict (worker) do update set seen_at = clock_timestamp(), parts = excluded.parts
returning worker
