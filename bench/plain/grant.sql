-- Grants an entitlement. $1 user, $2 stock keeping unit, $3 source, $4 id of the source.
insert into entitlements as e (user_id, stock_keeping_unit, status, version, granted_at, source, source_id, updated_at)
values ($1, $2, 'ACTIVE', 1, now(), $3, $4, now())
on conflict (user_id, stock_keeping_unit) do update
set status = 'ACTIVE', version = e.version + 1, granted_at = now(), revoked_at = null,
    source = excluded.source, source_id = excluded.source_id, updated_at = now()
returning version::int, updated_at
