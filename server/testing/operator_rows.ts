import type postgres from "postgres";

/** A row as an operator sees it, in the words of both systems: `waiting` is PENDING, `busy` IN_FLIGHT or PROCESSING, `done` PUBLISHED or SENT. */
export interface OperatorRow {
  readonly state: "waiting" | "busy" | "done" | "failed";
  readonly user: string;
  readonly type?: "EntitlementGranted" | "EntitlementRevoked";
  readonly error?: string;
  readonly attempts?: number;
  /** How long ago it was made. */
  readonly minutes: number;
  /** How long ago its last attempt failed, if one did: when it was made, if nothing is said. */
  readonly failed?: number;
  readonly item?: string;
}

/** Puts an event into the outbox, with its audit, as if it had come there by itself. Returns its id. */
export async function putEvent(sql: postgres.Sql, row: OperatorRow): Promise<string> {
  const { state, user, type = "EntitlementGranted", error = null, attempts = 0, minutes, failed = minutes } = row;
  const status = { waiting: "PENDING", busy: "IN_FLIGHT", done: "PUBLISHED", failed: "FAILED" }[state];
  const sku = row.item ?? crypto.randomUUID();
  const [made] = await sql`
    with made as (select uuidv7(make_interval(mins => ${-minutes})) as id, now() - make_interval(mins => ${minutes}) as at), event as (
      insert into outbox_events (event_id, event_type, aggregate_key, aggregate_version, payload, traceparent, status, attempt_count, next_retry_at,
        last_error, failed_at, lease_until, claim_token, created_at, published_at)
      select id, ${type}, ${`${user}:${sku}`}, 1, jsonb_build_object('user_id', ${user}::text, 'stock_keeping_unit', ${sku}::text, 'version', 1),
        '00-' || md5(id::text) || '-0000000000000001-01', ${status}, ${attempts}, at, ${error}, case when ${error}::text is not null then now() - make_interval(mins => ${failed}) end,
        case when ${status} = 'IN_FLIGHT' then now() + interval '1 hour' end, case when ${status} = 'IN_FLIGHT' then gen_random_uuid() end,
        at, case when ${status} = 'PUBLISHED' then at end from made), audit as (
      insert into entitlement_audit (at, event_id, user_id, stock_keeping_unit, status, version, client_id, detail)
      select at, id, ${user}, ${sku}, 'ACTIVE', 1, 'tester', jsonb_build_object('reason', 'r', 'purchase_id', 'p', 'trace_id', md5(id::text)) from made)
    select id from made`;
  return made?.id;
}

/** Puts a notification into its user's inbox, with its dead letter if it failed. Returns its id. */
export async function putNotification(sql: postgres.Sql, row: OperatorRow): Promise<string> {
  const { state, user, type = "EntitlementGranted", error = null, attempts = 0, minutes, failed = minutes } = row;
  const status = { waiting: "PENDING", busy: "PROCESSING", done: "SENT", failed: "FAILED" }[state];
  const [made] = await sql`
    with made as (
      insert into notifications (notification_id, event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel,
        status, attempt_count, last_error, failed_at, lease_until, claim_token, created_at, sent_at, position)
      select uuidv7(make_interval(mins => ${-minutes})), gen_random_uuid(), ${user}, ${type}, ${`${user}:${crypto.randomUUID()}`}, 1, false,
        jsonb_build_object('user_id', ${user}::text, 'stock_keeping_unit', ${row.item ?? null}::text, 'version', 1), '00-' || md5(random()::text) || '-0000000000000001-01', 'log',
        ${status}, ${attempts}, ${error}, case when ${error}::text is not null then now() - make_interval(mins => ${failed}) end,
        case when ${status} = 'PROCESSING' then now() + interval '1 hour' end,
        case when ${status} = 'PROCESSING' then gen_random_uuid() end, now() - make_interval(mins => ${minutes}),
        case when ${status} = 'SENT' then now() end,
        case when ${status} = 'SENT' then 1 + (select count(*) from notifications where user_id = ${user}) end
      returning *), dead as (
      insert into notification_dlq (notification_id, event_id, user_id, reason, attempts, payload)
      select notification_id, event_id, user_id, coalesce(last_error, ''), attempt_count, payload from made where status = 'FAILED')
    select notification_id from made`;
  return made?.notification_id;
}
