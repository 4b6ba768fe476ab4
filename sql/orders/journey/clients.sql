-- The clients that have orders: one step of the index for each, however many orders they have.
-- $1 limit
-- returns client_id
with recursive clients as (
  (select client_id from idempo_ledger order by client_id limit 1)
  union all
  select next.client_id
  from clients c, lateral (select l.client_id from idempo_ledger l where l.client_id > c.client_id order by l.client_id limit 1) next
)
select client_id from clients limit $1::int
