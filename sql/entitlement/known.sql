-- Whether a user has or had this item.
-- $1 user_id
-- $2 stock_keeping_unit
-- returns known
select exists (select from entitlements where user_id = $1 and stock_keeping_unit = $2) as known
