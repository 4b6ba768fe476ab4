-- Drops the partitions beyond the retention. Only for the owner role.
-- $1 keep: months
-- returns partition
select drop_audit_partitions($1::int) as partition
