-- A secret shared by the replicas of this service.
-- $1 name
-- returns value
select value from secrets where name = $1
