import type postgres from "postgres";
import { digestOf, normalForm, type OrderRequest } from "../orders/intake/order_request.ts";
import { storedKey } from "../orders/order_key.ts";
import { anyTrace } from "./entitlement_rows.ts";
import { quoted, rowFactory } from "./rows.ts";

type OrderColumn =
  | "created_at"
  | "updated_at"
  | "idempotency_key"
  | "order_request_json"
  | "request_digest"
  | "status"
  | "attempts"
  | "last_error_code"
  | "last_error_msg"
  | "locked_by"
  | "locked_at"
  | "expires_at"
  | "order_id"
  | "client_id"
  | "traceparent"
  | "failed_at"
  | "settled_at"
  | "queued_at"
  | "next_attempt_at"
  | "lease_until"
  | "claim_token"
  | "outcome_unknown"
  | "asks"
  | "calls";

/** The order that rows have whose order does not matter. */
export const anyOrder: OrderRequest = { symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" };

/** Orders in the outbox. Presets: a pending market order of tester, due at once. A sending one has a lease of an hour. */
export const outboxOrders = rowFactory<OrderColumn>(
  "outbox_orders",
  "order_id",
  ({ status = "'pending'", created_at = "now()", client_id = "'tester'" }) => ({
    idempotency_key: `${client_id} || ':' || gen_random_uuid()`,
    order_request_json: quoted(anyOrder),
    request_digest: quoted(digestOf(anyOrder)),
    status,
    client_id,
    traceparent: anyTrace,
    created_at,
    queued_at: created_at,
    next_attempt_at: created_at,
    failed_at: `case when ${status} in ('failed', 'aborted') then ${created_at} end`,
    settled_at: `case when ${status} in ('succeeded', 'aborted') then ${created_at} end`,
    locked_by: `case ${status} when 'sending' then 'w' end`,
    locked_at: `case ${status} when 'sending' then now() end`,
    lease_until: `case ${status} when 'sending' then now() + interval '1 hour' end`,
    claim_token: `case ${status} when 'sending' then gen_random_uuid() end`,
  }),
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

/** Entries of the ledger. Presets: an accepted market order of tester. */
export const ledgerEntries = rowFactory<EntryColumn>(
  "idempo_ledger",
  "order_id",
  ({ status = "'accepted'", accepted_at = "now()", client_id = "'tester'" }) => ({
    idempotency_key: `${client_id} || ':' || gen_random_uuid()`,
    order_id: `uuidv7(${accepted_at} - now())`,
    client_id,
    request_digest: quoted(digestOf(anyOrder)),
    order_request_json: quoted(anyOrder),
    status,
    reason_code: `case ${status} when 'failed' then 'REJECTED' end`,
    accepted_at,
    settled_at: `case when ${status} <> 'accepted' then ${accepted_at} end`,
  }),
);

type HistoryColumn = "order_id" | "at" | "actor" | "from_status" | "to_status" | "reason";

/** The history of ledger entries. */
export const ledgerHistory = rowFactory<HistoryColumn>("idempo_ledger_history", "order_id", () => ({
  actor: "'tester'",
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

const entryStatus = { pending: "accepted", sending: "accepted", failed: "accepted", succeeded: "succeeded", aborted: "failed" } as const;

/** Inserts an order with its ledger entry and the history of it. Returns its id. */
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
): Promise<string> {
  const at = `now() - ${quoted(age)}::interval`;
  const isFailed = code !== undefined;
  const shared = {
    idempotency_key: quoted(storedKey(client, key)),
    client_id: quoted(client),
    order_request_json: quoted(normalForm(order)),
    request_digest: quoted(digestOf(normalForm(order))),
    attempts,
  };
  const [order_id] = await ledgerEntries.put(sql, {
    ...shared,
    status: quoted(entryStatus[status]),
    accepted_at: at,
    ...(status === "aborted" ? { reason_code: quoted(code!), reason: quoted(message) } : {}),
    broker_order_id: quoted(brokerOrderId ?? null),
    broker_answer: quoted(brokerAnswer ?? null),
  });
  const ofOrder = { order_id: quoted(order_id!), actor: quoted(client), at };
  await ledgerHistory.put(sql, ofOrder);
  const settled = {
    ...ofOrder,
    actor: "'w'",
    from_status: "'accepted'",
    to_status: quoted(entryStatus[status]),
    reason: quoted(code ?? "OK"),
  };
  if (entryStatus[status] !== "accepted") await ledgerHistory.put(sql, settled);
  if (inOutbox)
    await outboxOrders.put(sql, {
      ...shared,
      order_id: quoted(order_id!),
      status: quoted(status),
      created_at: at,
      outcome_unknown: `${outcomeUnknown}`,
      ...(isFailed ? { last_error_code: quoted(code), last_error_msg: quoted(message) } : {}),
    });
  return order_id!;
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
