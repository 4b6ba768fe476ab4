-- The paused roles. Every process reads them about once a second; there are a few rows at the most.
-- returns role, paused_at, paused_by, reason
select role, iso(paused_at) as paused_at, paused_by, reason from paused_roles order by role
