-- The people whose operations are running, as the audit names them.
-- returns actor
select distinct actor from operations where status = 'RUNNING' and actor like 'user:%'
