-- A page of the entitlements of a user at a past time, by stock_keeping_unit. A pair that changed since had the state before its first later change.
-- Scans at most $5 pairs of today. The last of these is returned even if the user did not have it then, so that the next page goes on after it.
-- $1 user_id
-- $2 as_of
-- $3 after: the last stock_keeping_unit scanned for the page before, or empty
-- $4 limit
-- $5 scan
-- returns stock_keeping_unit, status, version, updated_at, matches, examined
select stock_keeping_unit, status, version, iso(since) as updated_at, matches, examined::int
from (
  select e.stock_keeping_unit, examined,
    case when later.version is null then e.status when later.status = 'ACTIVE' then 'REVOKED' else 'ACTIVE' end as status,
    coalesce(later.version - 1, e.version) as version,
    coalesce(later.previous_at, e.updated_at) as since,
    e.updated_at <= $2::timestamptz or coalesce(later.version > 1, false) as matches
  from (
    select *, row_number() over (order by stock_keeping_unit) as examined
    from (select * from entitlements where user_id = $1 and stock_keeping_unit > $3::text order by stock_keeping_unit limit $5::int) looked) e
  left join lateral (
    select version, status, previous_at from entitlement_audit a
    where a.user_id = e.user_id and a.stock_keeping_unit = e.stock_keeping_unit and a.at > $2::timestamptz
    order by a.version limit 1) later on e.updated_at > $2::timestamptz) m
where matches or examined = $5::int
order by stock_keeping_unit limit $4::int
