-- The slowest event of each step in the last minutes. Reads the minutes of that time by the primary key: a few thousand rows at most.
-- $1 minutes
-- returns step, id, took_ms, minute
select distinct on (step) step, slowest_id as id, slowest_ms as took_ms, iso(minute) as minute
from flow_minutes where minute > now() - make_interval(mins => $1::int) and slowest_id is not null
order by step, slowest_ms desc, minute desc
