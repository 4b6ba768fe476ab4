-- One of the :many that a worker could have claimed and has not: due for $1 seconds, the earliest open one of its aggregate, and not locked. Looks at
-- the 50 that are due longest; if all of them wait behind others of their aggregates, it finds none. It takes the same lock as a claim, so it fails
-- on a read-only database.
-- $1 overdue_seconds
-- returns :id
select :id from :table r
where :claimable
  and ctid = any (array(select ctid from :table
                        where :claimable and :due <= now() - make_interval(secs => $1::float8)
                        order by :due limit 50))
  and (select aggregate_version from :table e                                -- as in claim.sql
       where e.aggregate_key = r.aggregate_key and e.aggregate_version between r.aggregate_version - 24 and r.aggregate_version - 1
         and :open
       order by e.aggregate_version desc limit 1) is null
limit 1 for update skip locked
