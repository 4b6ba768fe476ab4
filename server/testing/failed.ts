import type postgres from "postgres";
import { outboxEvents } from "./entitlement_rows.ts";
import type { TestKenri } from "./kenri.ts";
import { deadLetters, deliveryAttempts, notifications as notificationRows } from "./notification_rows.ts";
import { quoted } from "./rows.ts";

/** The rows of bulk operations, with their names in each system. */
export interface Failing {
  readonly system: "entitlement" | "notification";
  /** The role that runs operations. */
  readonly worker: string;
  readonly kind: "outbox" | "notifications";
  readonly table: string;
  readonly id: string;
  /** The name of the rows in the audit. */
  readonly audited: string;
  /** The status of a row that is done. */
  readonly finished: string;
  readonly sql: (kenri: TestKenri) => postgres.Sql;
  /** Inserts FAILED rows, one for each user `<user>-<n>`; they can be delivered. */
  put(kenri: TestKenri, user: string, count: number, error?: string): Promise<string[]>;
}

const fault = "fault: made to fail";
const failed = (user: string, error: string) => ({
  user_id: `${quoted(`${user}-`)} || n`,
  status: "'FAILED'",
  attempt_count: 10,
  last_error: quoted(error),
});

export const outbox: Failing = {
  system: "entitlement",
  worker: "entitlement:relay",
  kind: "outbox",
  table: "outbox_events",
  id: "event_id",
  audited: "outbox",
  finished: "PUBLISHED",
  sql: kenri => kenri.entitlementSql,
  put: ({ entitlementSql: sql }, user, count, error = fault) =>
    outboxEvents.put(sql, failed(user, error), `generate_series(1, ${count}) n`),
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
    const made = notificationRows.text({ ...failed(user, error), attempts_made: 10 }, `generate_series(1, ${count}) n`);
    const rows = await sql.unsafe(`
      with failed as (${made} returning *),
        dead as (${deadLetters.text({}, "failed")}),
        tried as (${deliveryAttempts.text({ number: 10, error: "last_error" }, "failed")})
      select notification_id from failed`);
    return rows.map(row => row.notification_id as string);
  },
};
