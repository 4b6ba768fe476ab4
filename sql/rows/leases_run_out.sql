-- The :many whose lease ran out and that were not reclaimed; counted up to a limit.
-- $1 most
-- returns count, more, oldest?, sample
with found as materialized (
  select :id, lease_until from :table where status = :'held' and lease_until < now()
  order by lease_until limit $1::int + 1
)
select least(count(*), $1::int)::int as count, count(*) > $1::int as more, iso(min(lease_until)) as oldest,
  array(select :id::text from found order by lease_until limit 5) as sample
from found
