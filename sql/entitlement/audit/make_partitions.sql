-- Creates the partitions of the months ahead. Only for the owner role.
-- $1 ahead: months
-- returns partition
select make_audit_partitions($1::int) as partition
