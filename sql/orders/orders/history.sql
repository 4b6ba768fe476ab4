-- The last 100 changes of an order's ledger entry, newest first.
-- $1 order_id
-- returns entry_id, at, actor, from_status?, to_status, reason
select entry_id, iso(at) as at, actor, from_status, to_status, reason from idempo_ledger_history
where order_id = $1::uuid order by entry_id desc limit 100
