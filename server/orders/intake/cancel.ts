import { notFound, Problem } from "../../kernel/http/problem.ts";
import { batchedLog, type Log } from "../../kernel/telemetry/log.ts";
import { storedKey } from "../order_key.ts";
import type { LedgerFindRow, OrdersSql } from "../sql.gen.ts";
import { type Entry, entryOf } from "./entry.ts";
import type { InPlace } from "./places.ts";

export interface CancelOptions {
  readonly ledger: Pick<OrdersSql["ledger"], "cancel" | "find">;
  readonly inPlace: InPlace;
  readonly adapter: string;
  /** Called after an order was cancelled. */
  readonly cancelled: () => void;
  readonly log: Log;
}

const code = "CANCELLED";

export const noSuchOrder = () => notFound("this client has no order with this Idempotency-Key");

/** Cancels an order that has not been sent. An order that was cancelled before gets the same answer. */
export function cancelOrders({ ledger, inPlace, adapter, cancelled, log }: CancelOptions) {
  const lines = batchedLog(log);

  async function run(clientId: string, key: string): Promise<Entry> {
    const idempotency_key = storedKey(clientId, key);
    const [done] = await ledger.cancel({ idempotency_key, reason: "the client cancelled the order" });
    const [row] = await ledger.find({ idempotency_key: [idempotency_key], settled_only: false });
    if (done) {
      const { attempts, order_id } = done;
      lines.info({ idempotency_key, status: "aborted", attempts, last_error_code: code, adapter, order_id }, "order.cancelled");
      cancelled();
    }
    if (!row) throw noSuchOrder();
    if (row.reason_code !== code) throw notCancellable(row);
    return entryOf(row);
  }

  return (clientId: string, key: string): Promise<Entry> => inPlace(clientId, () => run(clientId, key));
}

export type CancelOrder = ReturnType<typeof cancelOrders>;

type Standing = Pick<LedgerFindRow, "status" | "outbox_status" | "outcome_unknown">;

export const notCancellable = (order: Standing) => new Problem(409, "ORDER_NOT_CANCELLABLE", `${whyNot(order)}; nothing was changed`);

function whyNot({ status, outbox_status, outcome_unknown }: Standing): string {
  if (status !== "accepted") return `the order has ${status} already`;
  if (outcome_unknown) return "an attempt may have reached the broker, and its outcome is unknown yet";
  return outbox_status === "sending" ? "the order is being sent to the broker" : "the order was being sent to the broker; try again";
}
