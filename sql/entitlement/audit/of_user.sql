-- The audit of all entitlements of a user, newest first. Ids are v7 and made after the lock on the pair, so they are in the order of the changes.
-- $1 user_id
-- $2 before_event_id
-- $3 limit
-- returns event_id, stock_keeping_unit, status, version, at, previous_at?, client_id, detail
select event_id, stock_keeping_unit, status, version, iso(at) as at, iso(previous_at) as previous_at, client_id, detail from entitlement_audit
where user_id = $1 and event_id < $2::uuid
order by event_id desc limit $3::int
