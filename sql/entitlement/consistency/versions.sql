-- The newest changes in the audit that do not fit: the entitlement is behind, its own version has no audit row, or the version before is missing.
-- An entitlement and its audit row have the same time, so each lookup reads one partition.
-- $1 scan: how many changes to examine
-- returns count, more, oldest?, sample
with newest as materialized (
  select * from entitlement_audit order by event_id desc limit $1::int
), found as materialized (
  select n.event_id, n.at from newest n
  left join lateral (                                                     -- limit: index lookups under every plan
    select version, updated_at from entitlements e where (e.user_id, e.stock_keeping_unit) = (n.user_id, n.stock_keeping_unit) limit 1) e on true
  left join lateral (
    select true as there from entitlement_audit a
    where (a.user_id, a.stock_keeping_unit, a.version, a.at) = (n.user_id, n.stock_keeping_unit, e.version, e.updated_at) limit 1) own on true
  left join lateral (
    select true as there from entitlement_audit a
    where (a.user_id, a.stock_keeping_unit, a.version, a.at) = (n.user_id, n.stock_keeping_unit, n.version - 1, n.previous_at) limit 1) before on true
  where e.version is null or e.version < n.version or own.there is null or (n.version > 1 and n.previous_at is null)
    or (before.there is null and n.previous_at > now() - interval '27 days')  -- the audit is kept for longer than that, whatever is set
)
select count(*)::int as count, count(*) > 0 and (select count(*) from newest) = $1::int as more, iso(min(at)) as oldest,
  array(select event_id::text from found order by event_id desc limit 5) as sample
from found
