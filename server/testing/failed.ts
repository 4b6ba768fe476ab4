import type postgres from "postgres";
import type { TestKenri } from "./kenri.ts";

/** What operators act on in bulk: the same in both systems, under other names. */
export interface Failing {
  readonly system: "entitlement" | "notification";
  /** The role that works operations off. */
  readonly worker: string;
  readonly kind: "outbox" | "notifications";
  readonly table: string;
  readonly id: string;
  /** How the audit calls the rows. */
  readonly audited: string;
  /** What a row is when its work is done. */
  readonly finished: string;
  readonly sql: (kenri: TestKenri) => postgres.Sql;
  /** Puts FAILED rows there, one a user `<user>-<n>`; they can be delivered. */
  put(kenri: TestKenri, user: string, count: number, error?: string): Promise<string[]>;
}

const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const fault = "fault: made to fail";

export const outbox: Failing = {
  system: "entitlement",
  worker: "entitlement:relay",
  kind: "outbox",
  table: "outbox_events",
  id: "event_id",
  audited: "outbox",
  finished: "PUBLISHED",
  sql: kenri => kenri.entitlementSql,
  async put({ entitlementSql: sql }, user, count, error = fault) {
    const rows = await sql`
      insert into outbox_events (event_id, event_type, aggregate_key, aggregate_version, payload, traceparent, status, attempt_count, last_error, next_retry_at, created_at)
      select uuidv7(), 'EntitlementGranted', ${user}::text || '-' || n || ':item', 1,
        jsonb_build_object('user_id', ${user}::text || '-' || n, 'stock_keeping_unit', 'item', 'source', 'purchase', 'source_id', 'p_1', 'version', 1, 'occurred_at', iso(now())),
        ${trace}, 'FAILED', 10, ${error}, now(), now()
      from generate_series(1, ${count}::int) n returning event_id`;
    return rows.map(row => row.event_id as string);
  },
};

export const notifications: Failing = {
  system: "notification",
  worker: "notification:sender",
  kind: "notifications",
  table: "notifications",
  id: "notification_id",
  audited: "notification",
  finished: "SENT",
  sql: kenri => kenri.notificationSql,
  async put({ notificationSql: sql }, user, count, error = fault) {
    const rows = await sql`
      with failed as (
        insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, status, attempt_count, attempts_made, last_error)
        select uuidv7(), ${user}::text || '-' || n, 'EntitlementGranted', ${user}::text || '-' || n || ':item', 1, false,
          '{"stock_keeping_unit": "item", "version": 1}', ${trace}, 'log', 'FAILED', 10, 10, ${error}
        from generate_series(1, ${count}::int) n returning *
      ), buried as (
        insert into notification_dlq (notification_id, event_id, user_id, reason, attempts, payload)
        select notification_id, event_id, user_id, last_error, attempt_count, payload from failed
      ), tried as (
        insert into notification_attempts (notification_id, number, worker, started_at, duration_ms, outcome, error)
        select notification_id, 10, 'w', now(), 1, 'retry', last_error from failed
      )
      select notification_id from failed`;
    return rows.map(row => row.notification_id as string);
  },
};
