-- What a user has now, latest change first.
-- $1 user_id
-- returns stock_keeping_unit, status, version, updated_at
select stock_keeping_unit, status, version, iso(updated_at) as updated_at
from entitlements where user_id = $1 order by entitlements.updated_at desc, stock_keeping_unit
