-- When the oldest of the open :many was created (or put in the queue anew), whether it waits or is claimed. Exact: see depth.sql.
-- returns oldest_pending_at?
select iso(least(
    (select :since from :table where :claimable order by :due limit 1),
    (select :since from :table where :open and :due > :since order by :since limit 1),
    (select min(:since) from (
      select :since from :table where status = :'held' order by lease_until limit 10001) h))) as oldest_pending_at
