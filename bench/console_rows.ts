import type postgres from "postgres";
import { audits, idempotencyKeys, outboxEvents } from "../server/testing/entitlement_rows.ts";
import { deadLetters, deliveryAttempts, notifications, processedEvents } from "../server/testing/notification_rows.ts";

// A realistic mix over thirty days: 98 % are done, some wait, 1.5 % failed of some forty causes. Each error has its own host and number. Failures are
// not in the order of creation. Four of five waiting rows wait for a retry. The table is written in the order of time. Up to a hundred claimed rows share a lease.
const mixed = (count: number) => `
  select n, age, uuidv7(-age) as id, now() - age as at, 'user-' || n % ${Math.max(1, count / 20)} as user_id, 'item-' || n as sku, md5('trace' || n) as trace,
    case when n % 1000 < 982 then 'done' when n % 1000 < 984 then 'wait' when n % 1000 < 985 then 'busy' else 'failed' end as state,
    'cause ' || chr(65 + n % 37) || ': host "h' || n || '" gave up after ' || n % 7 || ' of 10 tries' as error,
    case when n % 11 = 0 then 'Revoked' else 'Granted' end as type, now() - age * (1 - (n % 7) / 10.0) as failed_at
  from generate_series(1, ${count}) n, lateral (select interval '30 days' * (1 - n / ${count}::float8) as age) a`;

/** What the rows of both queues have in common; `mixed` names a row's values. */
const common = {
  user_id: "user_id",
  stock_keeping_unit: "sku",
  traceparent: "'00-' || trace || '-00f067aa0ba902b7-01'",
  attempt_count: "case state when 'done' then 1 when 'failed' then 10 else n % 5 end",
  last_error: "case when state = 'failed' or state = 'wait' and n % 5 > 0 then error end",
  failed_at: "case when state = 'failed' or state = 'wait' and n % 5 > 0 then failed_at end",
  next_retry_at: "at + case state when 'wait' then interval '30 days' else interval '0' end",
  created_at: "at",
  claim_token: "case state when 'busy' then gen_random_uuid() end",
  lease_until: "case state when 'busy' then now() + interval '1 day' + make_interval(secs => n / 100000) end",
};

/** Fills entitlement's tables with this number of changes and their events. */
export async function fillConsoleOutbox(sql: postgres.Sql, count: number): Promise<void> {
  await sql`truncate outbox_events, entitlement_audit, idempotency_keys`;
  const events = outboxEvents.text(
    {
      ...common,
      event_id: "id",
      event_type: "'Entitlement' || type",
      status: "case state when 'done' then 'PUBLISHED' when 'wait' then 'PENDING' when 'busy' then 'IN_FLIGHT' else 'FAILED' end",
      published_at: "case state when 'done' then at end",
      confirmed_at: "case when state = 'done' and n % 1000 > 0 then at end",
      stream_seq: "case state when 'done' then n end",
    },
    "mixed order by n",
  );
  const keys = idempotencyKeys.text(
    {
      client_id: "'shop-' || n % 5",
      idem_key: "'key-' || n",
      response_body: "json_build_object('user_id', user_id, 'stock_keeping_unit', sku, 'version', 1)::text",
      created_at: "at",
    },
    "mixed order by n",
  );
  const audit = audits.text(
    {
      at: "at",
      event_id: "id",
      user_id: "user_id",
      stock_keeping_unit: "sku",
      status: "case type when 'Granted' then 'ACTIVE' else 'REVOKED' end",
      client_id: "'shop-' || n % 5",
      detail: `jsonb_build_object('reason', 'purchase', 'purchase_id', 'p_' || n, 'trace_id', trace,
        'route', '/v1/entitlements/grants', 'idem_key', 'key-' || n)`,
    },
    "mixed order by n",
  );
  await sql.unsafe(`with mixed as materialized (${mixed(count)}), events as (${events}), keyed as (${keys}) ${audit}`);
}

/** Fills notification's tables with this number of notifications, their attempts and dead letters. */
export async function fillConsoleNotifications(sql: postgres.Sql, count: number): Promise<void> {
  await sql`truncate notifications, notification_attempts, notification_dlq, processed_events`;
  const consumed = processedEvents.text(
    {
      event_id: "id",
      event_type: "'Entitlement' || type",
      aggregate_key: "user_id || ':' || sku",
      stream_seq: "n",
      processed_at: "at",
      trace_id: "trace",
    },
    "mixed order by n",
  );
  const notified = notifications.text(
    {
      ...common,
      notification_id: "uuidv7(-age)",
      event_id: "id",
      type: "'Entitlement' || type",
      status: "case state when 'done' then 'SENT' when 'wait' then 'PENDING' when 'busy' then 'PROCESSING' else 'FAILED' end",
      attempts_made: "case state when 'failed' then 10 else 1 end",
      sent_at: "case state when 'done' then at end",
      position: "case state when 'done' then n end",
    },
    "mixed order by n",
  );
  await sql.unsafe(`with mixed as materialized (${mixed(count)}), consumed as (${consumed}) ${notified}`);
  const tried = deliveryAttempts.text(
    {
      number: "number",
      worker: "'worker'",
      started_at: "created_at",
      duration_ms: 12,
      outcome: "case when status = 'SENT' then 'sent' else 'retry' end",
      error: "last_error",
    },
    "notifications, generate_series(1, attempts_made) number order by notification_id",
  );
  const dead = deadLetters.text({ attempts: 10, failed_at: "failed_at" }, "notifications where status = 'FAILED'");
  await sql.unsafe(`with tried as (${tried}) ${dead}`);
}

/** Work of operators: an action for every hundredth row, an operation for every thousandth, and one operation over every tenth. */
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
