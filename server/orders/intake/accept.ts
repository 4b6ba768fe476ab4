import { Problem, unavailable } from "../../kernel/http/problem.ts";
import { batchedLog, type Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { errorWord, statementSpan, type Tracer } from "../../kernel/telemetry/spans.ts";
import { storedKey } from "../order_key.ts";
import type { LedgerAcceptParameters, LedgerAcceptRow, OrdersSql } from "../sql.gen.ts";
import { type Entry, entryOf } from "./entry.ts";
import { digestOf, longestLife, notInTime, type OrderRequest } from "./order_request.ts";
import type { InPlace } from "./places.ts";

/** An order in its normal form, with its client and key. */
export interface PlacedOrder {
  readonly clientId: string;
  readonly key: string;
  readonly order: OrderRequest;
  readonly traceparent: string;
}

export interface AcceptOptions {
  readonly ledger: Pick<OrdersSql["ledger"], "accept" | "find">;
  readonly inPlace: InPlace;
  readonly adapter: string;
  /** Called after an order was accepted. */
  readonly accepted: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
}

// A key is neither taken nor free only if its entry was deleted between two statements.
const maxRuns = 8;

/** Accepts an order once. The same order under the same key gets its entry of now. */
export function acceptOrders({ ledger, inPlace, adapter, accepted, log, metrics, tracer }: AcceptOptions) {
  const enqueued = metrics.counter("outbox_enqueued_total", "Orders that were accepted into the outbox.");
  const lines = batchedLog(log);

  async function runStatement(input: LedgerAcceptParameters): Promise<LedgerAcceptRow> {
    const span = tracer && statementSpan(tracer, "order.accept", [input.traceparent]);
    try {
      const [row] = await ledger.accept(input);
      span?.end({ attributes: { "kenri.order_id": row!.order_id ?? undefined } });
      return row!;
    } catch (error) {
      span?.end({ error: errorWord(error) });
      throw error;
    }
  }

  async function run({ clientId, key, order, traceparent }: PlacedOrder): Promise<{ entry: Entry; isNew: boolean }> {
    const idempotency_key = storedKey(clientId, key);
    const request_digest = digestOf(order);
    const { expires_at = null } = order;
    const input = { idempotency_key, client_id: clientId, request_digest, order_request: { ...order }, expires_at, traceparent };
    for (let runs = 1; runs <= maxRuns; runs++) {
      const { order_id, accepted_at, in_time } = await runStatement({ ...input, ahead_seconds: longestLife });
      if (order_id !== null) {
        enqueued.inc();
        lines.info({ idempotency_key, status: "pending", attempts: 0, adapter, order_id }, "order.accepted");
        accepted();
        const entry = { order_id, status: "accepted", order, request_digest, accepted_at: accepted_at!, attempts: 0 } as const;
        return { entry: { idempotency_key: key, ...entry, outcome_unknown: false, outbox_status: "pending" }, isNew: true };
      }
      const [known] = await ledger.find({ idempotency_key: [idempotency_key], settled_only: false });
      if (known) {
        if (known.request_digest !== request_digest) throw keyConflict();
        return { entry: entryOf(known), isNew: false };
      }
      if (!in_time) throw notInTime();
    }
    throw unavailable("the entry of this Idempotency-Key is being deleted; nothing was stored, try again");
  }

  return (placed: PlacedOrder): Promise<{ entry: Entry; isNew: boolean }> => inPlace(placed.clientId, () => run(placed));
}

export type AcceptOrder = ReturnType<typeof acceptOrders>;

export const keyConflict = () =>
  new Problem(409, "IDEMPOTENCY_KEY_CONFLICT", "this Idempotency-Key was used for another order; use a new key for a new order");
