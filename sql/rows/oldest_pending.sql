-- When the oldest of the open :many was created, whether it waits or is claimed. Exact: see depth.sql.
-- returns oldest_pending_at?
select iso(least(
    (select created_at from :table where :claimable order by :due limit 1),
    (select created_at from :table where :open and :due > created_at order by created_at limit 1),
    (select min(created_at) from (
      select created_at from :table where status = :'held' order by lease_until limit 10001) h))) as oldest_pending_at
