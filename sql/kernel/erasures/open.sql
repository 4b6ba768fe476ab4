-- The erasures that this system is not done with, oldest first.
-- returns pseudonym, user_id, emails, progress
select pseudonym, user_id, to_jsonb(emails) as emails, progress from erasures where user_id is not null order by requested_at
