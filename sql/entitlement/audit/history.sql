-- The audit of one pair, newest first.
-- $1 user_id
-- $2 stock_keeping_unit
-- $3 before_version: only older versions
-- $4 limit
-- returns version, status, at, event_id, client_id, detail
select version, status, iso(at) as at, event_id, client_id, detail from entitlement_audit
where user_id = $1 and stock_keeping_unit = $2 and version < $3::bigint
order by version desc limit $4::int
