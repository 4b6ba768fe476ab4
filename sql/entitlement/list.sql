-- A page of the entitlements of a user, by stock_keeping_unit. Order and comparison are those of the primary key, whatever the collation.
-- $1 user_id
-- $2 after: the last stock_keeping_unit of the page before, or empty
-- $3 limit
-- returns stock_keeping_unit, status, version, updated_at
select stock_keeping_unit, status, version, iso(updated_at) as updated_at
from entitlements where user_id = $1 and stock_keeping_unit > $2::text
order by stock_keeping_unit limit $3::int
