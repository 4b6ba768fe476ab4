import type postgres from "postgres";

/** Fills the outbox with events of as many aggregates, each with its own due time, as the change statement would have written them. */
export async function fillOutbox(
  sql: postgres.Sql,
  count: number,
  status: "PENDING" | "PUBLISHED",
  due = "clock_timestamp() - interval '1 minute'",
): Promise<void> {
  await sql.unsafe(`
    insert into outbox_events (event_id, event_type, aggregate_key, aggregate_version, payload, traceparent, status, next_retry_at, created_at, published_at, confirmed_at)
    select uuidv7(), 'EntitlementGranted', 'bench-' || tag || '-' || n || ':item', 1,
      jsonb_build_object('user_id', 'bench-' || tag || '-' || n, 'stock_keeping_unit', 'item', 'source', 'purchase', 'source_id', 'p_' || n, 'version', 1, 'occurred_at', iso(now())),
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '${status}', ${due}, now(), ${status === "PUBLISHED" ? "now(), now()" : "null, null"}
    from generate_series(1, ${count}) n, (select substr(md5(random()::text), 1, 8) as tag) t`);
}

/** Fills the inbox with sent notifications of a thousand users. */
export async function fillInbox(sql: postgres.Sql, count: number): Promise<void> {
  await sql.unsafe(`
    with sent as (
      insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, status, sent_at, position)
      select uuidv7(), user_id, 'EntitlementGranted', user_id || ':item-' || n, 1, false, jsonb_build_object('user_id', user_id, 'version', 1),
        '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'log', 'SENT', now(), coalesce(p.position, 0) + row_number() over (partition by user_id order by n)
      from (select n, 'user-' || (n % 1000) as user_id from generate_series(1, ${count}) n) one left join inbox_positions p using (user_id)
      returning user_id, position)
    insert into inbox_positions select user_id, max(position) from sent group by user_id on conflict (user_id) do update set position = excluded.position`);
}

/** Fills the entitlements, keys and audit of as many users. */
export async function fillEntitlements(sql: postgres.Sql, count: number): Promise<void> {
  await sql.unsafe(`
    with n as (select n, 'bulk-' || tag || '-' || n as user_id from generate_series(1, ${count}) n, (select substr(md5(random()::text), 1, 8) as tag) t),
    owned as (insert into entitlements (user_id, stock_keeping_unit, status, version, granted_at, source, source_id, updated_at) select user_id, 'item', 'ACTIVE', 1, now(), 'purchase', 'p', now() from n),
    keyed as (insert into idempotency_keys (client_id, route, idem_key, request_hash, response_code, response_body, expires_at) select 'bulk', '/v1/entitlements/grants', user_id, 'hash', 200, '{}', now() + interval '1 day' from n)
    insert into entitlement_audit (at, event_id, user_id, stock_keeping_unit, status, version, client_id, detail) select now(), uuidv7(), user_id, 'item', 'ACTIVE', 1, 'bulk', '{}' from n`);
}

/** Fills the outbox with versions of a few pairs, as they come when these are changed in turn. */
export async function fillHotOutbox(sql: postgres.Sql, pairs: number, each: number): Promise<void> {
  await sql.unsafe(`
    insert into outbox_events (event_id, event_type, aggregate_key, aggregate_version, payload, traceparent, next_retry_at, created_at)
    select uuidv7(), 'EntitlementGranted', 'hot-' || p || ':item', n,
      jsonb_build_object('user_id', 'hot-' || p, 'stock_keeping_unit', 'item', 'source', 'purchase', 'source_id', 'p', 'version', n, 'occurred_at', iso(now())),
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', at, at
    from generate_series(1, ${each}) n, generate_series(1, ${pairs}) p, lateral (select now() - interval '1 hour' + n * interval '10 ms' + p * interval '1 ms') t(at)
    order by at`);
}

/** The same in the inbox, not sent yet. */
export async function fillHotInbox(sql: postgres.Sql, pairs: number, each: number): Promise<void> {
  await sql.unsafe(`
    insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, next_retry_at, created_at)
    select uuidv7(), 'hot-' || p, 'EntitlementGranted', 'hot-' || p || ':item', n, false, jsonb_build_object('user_id', 'hot-' || p, 'version', n),
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'log', at, at
    from generate_series(1, ${each}) n, generate_series(1, ${pairs}) p, lateral (select now() - interval '1 hour' + n * interval '10 ms' + p * interval '1 ms') t(at)
    order by at`);
}
