-- The newest events of a purchase.
-- $1 purchase_id
-- $2 limit
-- returns event_id
select event_id from entitlement_audit where detail ->> 'purchase_id' = $1 order by event_id desc limit $2::int
