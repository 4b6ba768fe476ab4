-- Makes the months ahead; the owner role only.
-- $1 ahead: months
-- returns partition
select make_audit_partitions($1::int) as partition
