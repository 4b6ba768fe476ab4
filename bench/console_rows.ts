import type postgres from "postgres";

// As in life: 98 % are done, some wait, 1.5 % failed of some forty causes, every one with a host and a number of its own, over thirty days, and not in
// the order in which they were made; four of five that wait do so for a retry. The table is written in the order of time, as it would have been; up to a hundred that are under way were claimed at once and share a lease.
const mixed = (count: number) => `
  select n, age, uuidv7(-age) as id, now() - age as at, 'user-' || n % ${Math.max(1, count / 20)} as user_id, 'item-' || n as sku, md5('trace' || n) as trace,
    case when n % 1000 < 982 then 'done' when n % 1000 < 984 then 'wait' when n % 1000 < 985 then 'busy' else 'failed' end as state,
    'cause ' || chr(65 + n % 37) || ': host "h' || n || '" gave up after ' || n % 7 || ' of 10 tries' as error,
    case when n % 11 = 0 then 'Revoked' else 'Granted' end as type, now() - age * (1 - (n % 7) / 10.0) as failed_at
  from generate_series(1, ${count}) n, lateral (select interval '30 days' * (1 - n / ${count}::float8) as age) a`;

/** Fills entitlement's tables with so many changes and the events they led to. */
export async function fillConsoleOutbox(sql: postgres.Sql, count: number): Promise<void> {
  await sql`truncate outbox_events, entitlement_audit, idempotency_keys`;
  await sql.unsafe(`
    with mixed as materialized (${mixed(count)}), events as (
      insert into outbox_events (event_id, event_type, aggregate_key, aggregate_version, payload, traceparent, status, attempt_count, last_error, failed_at,
        next_retry_at, created_at, published_at, confirmed_at, stream_seq, claim_token, lease_until)
      select id, 'Entitlement' || type, user_id || ':' || sku, 1, jsonb_build_object('user_id', user_id, 'stock_keeping_unit', sku, 'source', 'purchase',
          'source_id', 'p_' || n, 'version', 1, 'occurred_at', iso(at)), '00-' || trace || '-00f067aa0ba902b7-01',
        case state when 'done' then 'PUBLISHED' when 'wait' then 'PENDING' when 'busy' then 'IN_FLIGHT' else 'FAILED' end,
        case state when 'done' then 1 when 'failed' then 10 else n % 5 end, case when state = 'failed' or state = 'wait' and n % 5 > 0 then error end,
        case when state = 'failed' or state = 'wait' and n % 5 > 0 then failed_at end, at + case state when 'wait' then interval '30 days' else interval '0' end, at, case state when 'done' then at end,
        case when state = 'done' and n % 1000 > 0 then at end, case state when 'done' then n end,
        case state when 'busy' then gen_random_uuid() end, case state when 'busy' then now() + interval '1 day' + make_interval(secs => n / 100000) end
      from mixed order by n
    ), keyed as (
      insert into idempotency_keys (client_id, route, idem_key, request_hash, response_code, response_body, created_at, expires_at)
      select 'shop-' || n % 5, '/v1/entitlements/grants', 'key-' || n, 'hash', 200,
        json_build_object('user_id', user_id, 'stock_keeping_unit', sku, 'version', 1)::text, at, now() + interval '1 day' from mixed order by n
    )
    insert into entitlement_audit (at, event_id, user_id, stock_keeping_unit, status, version, client_id, detail)
    select at, id, user_id, sku, case type when 'Granted' then 'ACTIVE' else 'REVOKED' end, 1, 'shop-' || n % 5, jsonb_build_object('reason', 'purchase',
      'purchase_id', 'p_' || n, 'trace_id', trace, 'route', '/v1/entitlements/grants', 'idem_key', 'key-' || n) from mixed order by n`);
}

/** Fills notification's tables with so many notifications, their attempts and dead letters. */
export async function fillConsoleNotifications(sql: postgres.Sql, count: number): Promise<void> {
  await sql`truncate notifications, notification_attempts, notification_dlq, processed_events`;
  await sql.unsafe(`
    with mixed as materialized (${mixed(count)}), taken_in as (
      insert into processed_events (event_id, event_type, aggregate_key, aggregate_version, stale, stream_seq, processed_at, trace_id)
      select id, 'Entitlement' || type, user_id || ':' || sku, 1, false, n, at, trace from mixed order by n
    )
    insert into notifications (notification_id, event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, status,
      attempt_count, attempts_made, last_error, failed_at, next_retry_at, created_at, sent_at, position, claim_token, lease_until)
    select uuidv7(-age), id, user_id, 'Entitlement' || type, user_id || ':' || sku, 1, false,
      jsonb_build_object('user_id', user_id, 'stock_keeping_unit', sku, 'version', 1), '00-' || trace || '-00f067aa0ba902b7-01', 'log',
      case state when 'done' then 'SENT' when 'wait' then 'PENDING' when 'busy' then 'PROCESSING' else 'FAILED' end,
      case state when 'done' then 1 when 'failed' then 10 else n % 5 end, case state when 'failed' then 10 else 1 end,
      case when state = 'failed' or state = 'wait' and n % 5 > 0 then error end,
      case when state = 'failed' or state = 'wait' and n % 5 > 0 then failed_at end, at + case state when 'wait' then interval '30 days' else interval '0' end,
      at, case state when 'done' then at end, case state when 'done' then n end,
      case state when 'busy' then gen_random_uuid() end, case state when 'busy' then now() + interval '1 day' + make_interval(secs => n / 100000) end
    from mixed order by n`);
  await sql.unsafe(`
    with tried as (
      insert into notification_attempts (notification_id, number, worker, started_at, duration_ms, outcome, error)
      select notification_id, number, 'worker', created_at, 12, case when status = 'SENT' then 'sent' else 'retry' end, last_error
      from notifications, generate_series(1, attempts_made) number order by notification_id
    )
    insert into notification_dlq (notification_id, event_id, user_id, reason, attempts, payload, failed_at)
    select notification_id, event_id, user_id, last_error, 10, payload, notifications.failed_at from notifications where status = 'FAILED'`);
}

/** What operators did: an action for every hundredth row, an operation for every thousandth, and one that is about every tenth. */
export async function fillOperatorWork(sql: postgres.Sql, count: number, kind: string, table: string, id: string): Promise<void> {
  await sql`truncate operator_actions, operations, operation_items`;
  await sql.unsafe(`
    insert into operator_actions (actor, action, subject, reason)
    select 'user:operator', '${kind}.requeue', gen_random_uuid()::text, 'the cause is gone' from generate_series(1, ${count / 100})`);
  await sql.unsafe(`
    with made as (
      insert into operations (kind, action, filter, set_hash, reason, actor, status, total, done, finished_at)
      select '${kind}', 'requeue', '{"error": "x"}', 'h', 'the cause is gone', 'user:operator', 'DONE', size, size, now()
      from (select case n when 1 then ${count / 10} else 3 end as size from generate_series(1, ${count / 1000}) n) s
      returning operation_id, total
    ), row as materialized (
      select ${id} as id, row_number() over (order by ${id} desc) as position from ${table} order by ${id} desc limit ${count / 10}
    )
    insert into operation_items (operation_id, position, subject, result)
    select operation_id, position, id, 'DONE' from made join row on position <= total`);
}
