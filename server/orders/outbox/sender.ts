import { type LeasedWorker, leasedWorker } from "../../kernel/delivery/leased_worker.ts";
import { countWork, type LivenessOptions } from "../../kernel/delivery/liveness.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import type { Adapter } from "../broker/adapter.ts";
import type { Gate } from "../broker/gate.ts";
import type { OrdersSettings } from "../config.ts";
import type { OrdersClaimRow, OrdersSql } from "../sql.gen.ts";
import type { SendClaim } from "./send_claim.ts";

export interface SenderOptions {
  readonly context: RoleContext;
  readonly tuning: OrdersSettings["sender"];
  readonly orders: OrdersSql["orders"];
  readonly adapter: Adapter;
  readonly gate: Gate;
  readonly deliver: SendClaim;
  readonly isPaused: () => boolean;
  readonly liveness: Pick<LivenessOptions, "every" | "looks">;
}

/** Sends the orders that are due, each lane one at a time: no more than there are lanes are at the broker. */
export function sender({ context, tuning, orders, adapter, gate, deliver, isPaused, liveness }: SenderOptions): LeasedWorker {
  const { metrics } = context;
  const unknown = metrics.gauge("orders_unknown_outcomes", "Orders whose outcome at the broker is unknown, counted up to 10,001.");

  async function readDepth(from: Parameters<typeof orders.depth>[0]) {
    const [depth] = await orders.depth(from);
    if (depth) unknown.set(depth.unknown);
    return depth;
  }

  /** The broker works, by a probe of its own. During its Retry-After nothing can be done. */
  async function answers(): Promise<void> {
    if (gate.isPaused()) throw new Error("the broker asked for a pause");
    const trouble = await adapter.probe();
    if (trouble !== undefined) throw new Error(trouble);
  }

  return leasedWorker<{ order_id: string }, OrdersClaimRow, "pending" | "failed" | "sending" | "aborted">({
    name: "order",
    laneName: "order.sender",
    context,
    tuning: { ...tuning, batch: 1 },
    table: orders,
    idOf: row => row.order_id,
    ids: "order_ids",
    claimWith: async () => ((await gate.allows()) ? orders.claim : undefined),
    isPaused,
    deliver,
    reclaimed: metrics.counter("orders_reclaimed_total", "Orders taken back from a sender whose lease ran out; their outcome is unknown."),
    depth: {
      gauge: metrics.gauge("orders_depth", "Orders by state, counted up to 10,001.", ["state"]),
      oldest: metrics.gauge("orders_oldest_open_seconds", "Age of the oldest order that is not settled, since it was queued."),
      states: ["pending", "failed", "sending", "aborted"],
      read: readDepth,
    },
    work: countWork(),
    liveness: { ...liveness, answers },
  });
}
