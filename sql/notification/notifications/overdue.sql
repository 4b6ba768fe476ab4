-- A notification that a sender could have claimed and has not: due for $1 seconds, the earliest open one of its aggregate, and not locked. Looks at
-- the 50 that are due longest; if all of them wait behind others of their aggregates, it finds none. It takes the same lock as a claim, so it fails
-- on a read-only database.
-- $1 overdue_seconds
-- returns notification_id
select notification_id from notifications n
where status = 'PENDING'
  and ctid = any (array(select ctid from notifications
                        where status = 'PENDING' and next_retry_at <= now() - make_interval(secs => $1::float8)
                        order by next_retry_at limit 50))
  and (select aggregate_version from notifications e                                -- as in claim.sql
       where e.aggregate_key = n.aggregate_key and e.aggregate_version between n.aggregate_version - 24 and n.aggregate_version - 1
         and e.status in ('PENDING', 'PROCESSING')
       order by e.aggregate_version desc limit 1) is null
limit 1 for update skip locked
