-- Drops the months beyond the retention; the owner role only.
-- $1 keep: months
-- returns partition
select drop_audit_partitions($1::int) as partition
