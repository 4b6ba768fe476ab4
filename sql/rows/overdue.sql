-- One of the :many that a worker could have claimed and has not: due for $1 seconds, not behind another one of its aggregate, and not locked.
-- Looks at the 50 that are due longest; if all of them wait behind others, it finds none. It takes the same lock as a claim, so it fails on a
-- read-only database.
-- $1 overdue_seconds
-- returns :id
select :id from :table r
where :claimable
  and ctid = any (array(select ctid from :table
                        where :claimable and :due <= now() - make_interval(secs => $1::float8)
                        order by :due limit 50))
  and :is_first
limit 1 for update skip locked
