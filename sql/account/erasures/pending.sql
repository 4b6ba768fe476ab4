-- The erasures that are not done, oldest first, for the gateway, which carries them to the other systems.
-- returns pseudonym, user_id, emails, requested_by, reason, age_seconds
select pseudonym, user_id, to_jsonb(emails) as emails, requested_by, reason, extract(epoch from clock_timestamp() - requested_at)::float8 as age_seconds
from erasures where user_id is not null order by requested_at
