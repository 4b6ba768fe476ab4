-- The workers that reported lately, the newest report first.
-- returns worker, role, version, started_at, age_seconds, parts
select worker, role, version, iso(started_at) as started_at, greatest(0, extract(epoch from clock_timestamp() - seen_at))::float8 as age_seconds, parts
from workers order by seen_at desc limit 200
