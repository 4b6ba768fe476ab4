-- Appends a change to the audit. $1 user, $2 stock keeping unit, $3 source, $4 id of the source, $5 detail.
insert into entitlement_audit (user_id, stock_keeping_unit, action, source, source_id, detail) values ($1, $2, 'GRANT', $3, $4, $5)
