-- How long the ids of processed events are kept: as configured, or since the last deletion if that is shorter.
-- $1 retention_seconds
-- returns remembers_seconds
select least($1::float8, extract(epoch from now() - deleted_up_to)::float8) as remembers_seconds from processed_events_horizon where id = 1
