import { createHash, randomBytes, randomUUID } from "node:crypto";
import { storedKey } from "../../orders/order_key.ts";
import { ledgerEntries, ledgerHistory, orderAttempts, outboxOrders } from "../order_rows.ts";
import { type Databases, idAt } from "./chains.ts";

/** A call to the broker. */
export interface SeededCall {
  readonly kind: "send" | "ask";
  /** Milliseconds after the order was accepted. */
  readonly after: number;
  readonly took: number;
  readonly outcome: "succeeded" | "retryable" | "final" | "unknown" | "working" | "not_known" | "no_answer";
  readonly code?: string;
  readonly message?: string;
}

/** An order and all rows that belong to it, as the system would have written them at that time. */
export interface SeededOrder {
  readonly at: number;
  readonly client: string;
  /** The client's own key. */
  readonly key: string;
  readonly order: Readonly<Record<string, string>>;
  readonly status: "pending" | "failed" | "sending" | "succeeded" | "aborted";
  readonly isUnknown?: boolean;
  readonly calls: readonly SeededCall[];
  readonly code?: string;
  readonly message?: string;
  readonly brokerOrderId?: string;
  readonly answer?: object;
  /** When the next attempt is due. Preset: later than any test runs. */
  readonly next?: number;
  /** Deleted from the outbox after its retention. */
  readonly isGone?: boolean;
}

// Orders that wait, wait for longer than any test runs.
const retryIn = 1_200_000;

/** Inserts orders. Returns the id and the stored key of each. */
export async function putOrders({ orders: sql }: Databases, orders: readonly SeededOrder[]) {
  const rows = orders.map(rowsOf);
  await ledgerEntries.putValues(
    sql,
    rows.map(row => row.entry),
  );
  await ledgerHistory.putValues(
    sql,
    rows.flatMap(row => row.history),
  );
  const kept = rows.filter((_, index) => !orders[index]!.isGone);
  await outboxOrders.putValues(
    sql,
    kept.map(row => row.order),
  );
  await orderAttempts.putValues(
    sql,
    kept.flatMap(row => row.calls),
  );
  return rows.map(({ entry: { order_id, idempotency_key } }) => ({ orderId: order_id, key: idempotency_key }));
}

const iso = (at: number) => new Date(at).toISOString();
const results: Partial<Record<SeededOrder["status"], string>> = { succeeded: "succeeded", aborted: "failed" };

function rowsOf(seeded: SeededOrder) {
  const { at, client, key, order, status, isUnknown = false, code = null, message = null, brokerOrderId = null } = seeded;
  const order_id = idAt(at);
  const last = seeded.calls.at(-1);
  const ended = iso(at + (last ? last.after + last.took : 0));
  const result = results[status];
  const attempts = seeded.calls.filter(({ kind }) => kind === "send").length;
  const worker = "sender@kenri-1";
  const same = {
    order_id,
    idempotency_key: storedKey(client, key),
    client_id: client,
    request_digest: createHash("sha256").update(JSON.stringify(order)).digest("hex"),
    order_request_json: order,
    attempts,
    settled_at: result ? ended : null,
  };
  const isHeld = status === "sending";
  const isFailing = status === "failed" || status === "aborted";
  const change = (from_status: string | null, to_status: string, when: string, actor: string, reason: string) => ({
    order_id,
    at: when,
    actor,
    from_status,
    to_status,
    reason,
  });
  return {
    order: {
      ...same,
      created_at: iso(at),
      status,
      last_error_code: code,
      last_error_msg: message,
      traceparent: `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`,
      failed_at: isFailing || isUnknown ? ended : null,
      queued_at: iso(at),
      next_attempt_at: iso(seeded.next ?? (result ? at : Date.now() + retryIn)),
      outcome_unknown: isUnknown,
      asks: 0,
      calls: seeded.calls.length,
      expires_at: order.expires_at ?? null,
      locked_by: isHeld ? worker : null,
      locked_at: isHeld ? iso(Date.now()) : null,
      lease_until: isHeld ? iso(Date.now() + 3_600_000) : null,
      claim_token: isHeld ? randomUUID() : null,
    },
    calls: seeded.calls.map(({ after, took, ...call }, index) => ({
      order_id,
      number: index + 1,
      kind: call.kind,
      worker,
      adapter: "paper",
      started_at: iso(at + after),
      duration_ms: took,
      outcome: call.outcome,
      code: call.code ?? null,
      message: call.message ?? null,
    })),
    entry: {
      ...same,
      status: result ?? "accepted",
      reason_code: result === "failed" ? (code ?? "INTERNAL_ERROR") : null,
      reason: result === "failed" ? message : null,
      broker_order_id: brokerOrderId,
      broker_answer: seeded.answer ?? null,
      accepted_at: iso(at),
    },
    history: [
      change(null, "accepted", iso(at), client, "the client placed the order"),
      ...(result
        ? [change("accepted", result, ended, worker, result === "failed" ? (code ?? "INTERNAL_ERROR") : "executed by the broker")]
        : []),
    ],
  };
}
