import type postgres from "postgres";
import { digestOf, normalForm, type OrderRequest } from "../orders/intake/order_request.ts";
import { storedKey } from "../orders/order_key.ts";
import { anyTrace } from "./entitlement_rows.ts";
import { quoted, rowFactory } from "./rows.ts";

type OrderColumn =
  | "symbol"
  | "side"
  | "quantity"
  | "order_type"
  | "order_id"
  | "idempotency_key"
  | "client_id"
  | "order_request_json"
  | "request_digest"
  | "status"
  | "attempts"
  | "last_error_code"
  | "last_error_msg"
  | "failed_at"
  | "locked_by"
  | "locked_at"
  | "lease_until"
  | "claim_token"
  | "expires_at"
  | "traceparent"
  | "created_at"
  | "queued_at"
  | "next_attempt_at"
  | "settled_at"
  | "outcome_unknown"
  | "asks"
  | "calls";

/**
 * Orders of the outbox. Presets: the shop buys ten KEN at the market, pending, due at once. An order that is `sending` has a lease of an hour. A settled
 * one was settled when it was created, and one that failed has the code UNAVAILABLE.
 */
export const outboxOrders = rowFactory<OrderColumn>(
  "outbox_orders",
  "order_id",
  ({
    client_id = "'shop'",
    symbol = "'KEN'",
    side = "'BUY'",
    quantity = "'10'",
    order_type = "'MARKET'",
    status = "'pending'",
    created_at = "now()",
    last_error_code = `case when ${status} in ('failed', 'aborted') then 'UNAVAILABLE' end`,
  }) => ({
    order_id: "uuidv7()",
    idempotency_key: `${client_id} || ':' || gen_random_uuid()`,
    client_id,
    order_request_json: `jsonb_build_object('symbol', ${symbol}, 'side', ${side}, 'quantity', ${quantity}, 'order_type', ${order_type})`,
    request_digest: "md5(random()::text)",
    status,
    last_error_code,
    failed_at: `case when ${status} in ('failed', 'aborted') then ${created_at} end`,
    traceparent: anyTrace,
    created_at,
    queued_at: created_at,
    next_attempt_at: created_at,
    settled_at: `case when ${status} in ('succeeded', 'aborted') then ${created_at} end`,
    lease_until: `case ${status} when 'sending' then now() + interval '1 hour' end`,
    claim_token: `case ${status} when 'sending' then gen_random_uuid() end`,
  }),
  ["symbol", "side", "quantity", "order_type"],
);

type EntryColumn =
  | "idempotency_key"
  | "order_id"
  | "client_id"
  | "request_digest"
  | "order_request_json"
  | "status"
  | "reason_code"
  | "reason"
  | "broker_order_id"
  | "broker_answer"
  | "attempts"
  | "accepted_at"
  | "settled_at";

/** Entries of the ledger. Presets: those of the orders that they are made from. */
export const ledgerEntries = rowFactory<EntryColumn>("idempo_ledger", "order_id", () => ({
  idempotency_key: "idempotency_key",
  order_id: "order_id",
  client_id: "client_id",
  request_digest: "request_digest",
  order_request_json: "order_request_json",
  status: "case status when 'succeeded' then 'succeeded' when 'aborted' then 'failed' else 'accepted' end",
  reason_code: "case status when 'aborted' then last_error_code end",
  attempts: "attempts",
  accepted_at: "created_at",
  settled_at: "settled_at",
}));

type HistoryColumn = "order_id" | "at" | "actor" | "from_status" | "to_status" | "reason";

/** The history of ledger entries: `from` has the columns of these. Presets: the acceptance. */
export const ledgerHistory = rowFactory<HistoryColumn>("idempo_ledger_history", "order_id", () => ({
  order_id: "order_id",
  at: "accepted_at",
  actor: "client_id",
  to_status: "'accepted'",
  reason: "'the client placed the order'",
}));

type AttemptColumn = "order_id" | "number" | "kind" | "worker" | "adapter" | "started_at" | "duration_ms" | "outcome" | "code" | "message";

/** Calls to the broker: `from` has the ids of their orders. */
export const orderAttempts = rowFactory<AttemptColumn>("order_attempts", "order_id", () => ({
  order_id: "order_id",
  number: 1,
  kind: "'send'",
  worker: "'w'",
  adapter: "'paper'",
  started_at: "now()",
  duration_ms: 1,
  outcome: "'retryable'",
}));

/** An order for tests that do not care which. */
export const anyOrder: OrderRequest = { symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" };

export interface TestOrder {
  readonly client?: string;
  /** The client's key. */
  readonly key?: string;
  readonly order?: OrderRequest;
  /** Of the outbox row; the ledger entry has the status that belongs to it. */
  readonly status?: "pending" | "sending" | "failed" | "succeeded" | "aborted";
  readonly attempts?: number;
  readonly outcomeUnknown?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly brokerOrderId?: string;
  readonly brokerAnswer?: object;
  /** How long ago it was accepted and, if it is settled, settled, as an SQL interval. */
  readonly age?: string;
  /** False = the outbox row was cleaned up. */
  readonly inOutbox?: boolean;
}

/** Accepts orders as the API does, by one statement: outbox, ledger and history. Returns their stored keys. */
export async function putOrders(
  sql: Pick<postgres.Sql, "unsafe">,
  columns: Parameters<typeof outboxOrders.text>[0],
  from?: string,
  entry: Parameters<typeof ledgerEntries.text>[0] = {},
): Promise<string[]> {
  const settled = { at: "settled_at", actor: "'w'", from_status: "'accepted'", to_status: "status", reason: "coalesce(reason_code, 'OK')" };
  const rows = await sql.unsafe<{ idempotency_key: string }[]>(`
    with placed as (${outboxOrders.text(columns, from)} returning *),
      entries as (${ledgerEntries.text(entry, "placed")} returning *),
      acceptances as (${ledgerHistory.text({}, "entries")}),
      settlements as (${ledgerHistory.text(settled, "entries where settled_at is not null")})
    select idempotency_key from placed`);
  return rows.map(row => row.idempotency_key);
}

/** Inserts an order with its ledger entry and the history of it. */
export async function insertOrder(
  sql: Pick<postgres.Sql, "unsafe">,
  {
    client = "tester",
    key = crypto.randomUUID(),
    order = anyOrder,
    status = "pending",
    attempts = 0,
    outcomeUnknown = false,
    code = status === "aborted" ? "REJECTED" : undefined,
    message = "the broker rejected the order",
    brokerOrderId,
    brokerAnswer,
    age = "0 s",
    inOutbox = true,
  }: TestOrder = {},
): Promise<void> {
  const normal = normalForm(order);
  const idempotency_key = quoted(storedKey(client, key));
  const columns = {
    idempotency_key,
    client_id: quoted(client),
    order_request_json: quoted(normal),
    request_digest: quoted(digestOf(normal)),
    status: quoted(status),
    attempts,
    outcome_unknown: `${outcomeUnknown}`,
    created_at: `now() - ${quoted(age)}::interval`,
    ...(code === undefined ? {} : { last_error_code: quoted(code), last_error_msg: quoted(message) }),
  };
  await putOrders(sql, columns, undefined, {
    reason: "case status when 'aborted' then last_error_msg end",
    broker_order_id: quoted(brokerOrderId ?? null),
    broker_answer: quoted(brokerAnswer ?? null),
  });
  if (!inOutbox) await sql.unsafe(`delete from outbox_orders where idempotency_key = ${idempotency_key}`);
}

export interface TestOutcome {
  readonly brokerOrderId?: string;
  readonly brokerAnswer?: object;
  /** With a code the order has failed. */
  readonly code?: string;
  readonly message?: string;
}

/** Settles an order that was accepted, as a sender does. */
export async function settleOrder(
  sql: Pick<postgres.Sql, "unsafe">,
  storedKey: string,
  { brokerOrderId, brokerAnswer, code, message = "" }: TestOutcome = {},
): Promise<void> {
  const isFailed = code !== undefined;
  const [reason_code, reason] = isFailed ? [quoted(code), quoted(message)] : ["null", "null"];
  await sql.unsafe(`with outbox as (
      update outbox_orders set status = '${isFailed ? "aborted" : "succeeded"}', settled_at = now(), failed_at = ${isFailed ? "now()" : "null"},
        last_error_code = ${reason_code}, last_error_msg = ${reason}, claim_token = null, lease_until = null, outcome_unknown = false
      where idempotency_key = ${quoted(storedKey)} returning order_id)
    update idempo_ledger l set status = '${isFailed ? "failed" : "succeeded"}', settled_at = now(), reason_code = ${reason_code}, reason = ${reason},
      broker_order_id = ${quoted(brokerOrderId ?? null)}, broker_answer = ${quoted(brokerAnswer ?? null)}
    from outbox o where l.order_id = o.order_id`);
}
