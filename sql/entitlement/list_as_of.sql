-- What a user had at a moment: a pair changed since then had the state that its first change after the moment ended.
-- $1 user_id
-- $2 as_of
-- returns stock_keeping_unit, status, version, updated_at
select e.stock_keeping_unit,
  case when later.version is null then e.status when later.status = 'ACTIVE' then 'REVOKED' else 'ACTIVE' end as status,
  coalesce(later.version - 1, e.version) as version,
  iso(coalesce(later.previous_at, e.updated_at)) as updated_at
from entitlements e
left join lateral (
  select version, status, previous_at from entitlement_audit a
  where a.user_id = e.user_id and a.stock_keeping_unit = e.stock_keeping_unit and a.at > $2::timestamptz
  order by a.version limit 1) later on e.updated_at > $2::timestamptz
where e.user_id = $1 and (e.updated_at <= $2::timestamptz or later.version > 1)
order by coalesce(later.previous_at, e.updated_at) desc, e.stock_keeping_unit
