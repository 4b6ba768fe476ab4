import type postgres from "postgres";
import { audits, outboxEvents } from "./entitlement_rows.ts";
import { deadLetters, notifications } from "./notification_rows.ts";
import { ledgerEntries, outboxOrders } from "./order_rows.ts";
import { quoted } from "./rows.ts";

/**
 * A row of any system: `waiting` is PENDING, `busy` IN_FLIGHT or PROCESSING, `done` PUBLISHED or SENT. An order that waits after an attempt is
 * `failed`, one that failed for good `aborted`.
 */
export interface OperatorRow {
  readonly state: "waiting" | "busy" | "done" | "failed";
  readonly user: string;
  readonly type?: "EntitlementGranted" | "EntitlementRevoked";
  readonly error?: string;
  readonly attempts?: number;
  /** How long ago it was created. */
  readonly minutes: number;
  /** How long ago its last attempt failed, if one did. Preset: when it was created. */
  readonly failed?: number;
  readonly item?: string;
}

const ago = (minutes: number) => `now() - make_interval(mins => ${minutes})`;

/** The columns that events and notifications have. */
const shared = ({ user, error, attempts = 0, minutes, failed = minutes }: OperatorRow) => ({
  user_id: quoted(user),
  attempt_count: attempts,
  created_at: ago(minutes),
  ...(error === undefined ? {} : { last_error: quoted(error), failed_at: ago(failed) }),
});

/** Inserts an event with its audit. Returns its id. */
export async function putEvent(sql: postgres.Sql, row: OperatorRow): Promise<string> {
  const { state, type = "EntitlementGranted", minutes } = row;
  const stock_keeping_unit = quoted(row.item ?? crypto.randomUUID());
  const event = outboxEvents.text(
    {
      ...shared(row),
      event_id: "id",
      stock_keeping_unit,
      event_type: quoted(type),
      traceparent: "'00-' || md5(id::text) || '-0000000000000001-01'",
      status: quoted({ waiting: "PENDING", busy: "IN_FLIGHT", done: "PUBLISHED", failed: "FAILED" }[state]),
    },
    "made",
  );
  const audit = audits.text(
    {
      at: ago(minutes),
      event_id: "id",
      user_id: quoted(row.user),
      stock_keeping_unit,
      detail: "jsonb_build_object('reason', 'r', 'purchase_id', 'p', 'trace_id', md5(id::text))",
    },
    "made",
  );
  const [made] = await sql.unsafe(
    `with made as (select uuidv7(make_interval(mins => ${-minutes})) as id), event as (${event}), audit as (${audit}) select id from made`,
  );
  return made?.id;
}

/** Inserts a notification, with its dead letter if it is FAILED. Returns its id. */
export async function putNotification(sql: postgres.Sql, row: OperatorRow): Promise<string> {
  const { state, user, type = "EntitlementGranted", minutes, item } = row;
  const made = notifications.text({
    ...shared(row),
    notification_id: `uuidv7(make_interval(mins => ${-minutes}))`,
    type: quoted(type),
    aggregate_key: quoted(`${user}:${crypto.randomUUID()}`),
    stock_keeping_unit: quoted(item ?? null),
    traceparent: "'00-' || md5(random()::text) || '-0000000000000001-01'",
    status: quoted({ waiting: "PENDING", busy: "PROCESSING", done: "SENT", failed: "FAILED" }[state]),
    next_retry_at: "now()",
    ...(state === "done" ? { sent_at: "now()", position: `1 + (select count(*) from notifications where user_id = ${quoted(user)})` } : {}),
  });
  const [one] = await sql.unsafe(
    `with made as (${made} returning *), dead as (${deadLetters.text({}, "made where status = 'FAILED'")}) select notification_id from made`,
  );
  return one?.notification_id;
}

/** The type of an order that stands for the type of an event. */
export const orderTypes = { EntitlementGranted: "MARKET", EntitlementRevoked: "LIMIT" } as const;

/** Inserts an order with its ledger entry. Its code is the fingerprint of its error. Returns its id. */
export async function putOrder(sql: postgres.Sql, row: OperatorRow): Promise<string> {
  const { state, user, type = "EntitlementGranted", error, attempts = 0, minutes, failed = minutes, item } = row;
  const waiting = attempts > 0 ? "failed" : "pending";
  const status = { waiting, busy: "sending", done: "succeeded", failed: "aborted" }[state];
  const made = outboxOrders.text({
    order_id: `uuidv7(make_interval(mins => ${-minutes}))`,
    client_id: quoted(user),
    symbol: quoted(item ?? "KEN"),
    order_type: quoted(orderTypes[type]),
    status: quoted(status),
    attempts,
    created_at: ago(minutes),
    traceparent: "'00-' || md5(random()::text) || '-0000000000000001-01'",
    ...(error === undefined
      ? {}
      : { last_error_msg: quoted(error), last_error_code: `fingerprint(${quoted(error)})`, failed_at: ago(failed) }),
  });
  const [one] = await sql.unsafe(
    `with made as (${made} returning *), entry as (${ledgerEntries.text({}, "made")}) select order_id from made`,
  );
  return one?.order_id;
}
