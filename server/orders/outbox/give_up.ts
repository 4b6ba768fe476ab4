import { dueBound } from "../../kernel/delivery/due_bound.ts";
import { type Loop, loop } from "../../kernel/life/loop.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import { failedBurst, repeatsOf } from "../../kernel/telemetry/repeats.ts";
import type { Gate } from "../broker/gate.ts";
import type { OrdersSql } from "../sql.gen.ts";

export interface GiveUpOptions {
  readonly context: Pick<RoleContext, "worker" | "log" | "metrics">;
  readonly orders: Pick<OrdersSql["orders"], "give_up" | "oldest_expiry">;
  readonly gate: Pick<Gate, "awayFor" | "allows">;
  /** While the sender is paused no order is aborted because of the broker: nothing was tried. */
  readonly isPaused: () => boolean;
  readonly adapter: string;
  readonly aborted: { inc(labels: { code: string }): void };
  /** Called after orders were aborted. */
  readonly settled: () => void;
  readonly giveUpAfter: number;
  readonly sweep: number;
}

const batch = 500;

/** Aborts orders that expired, also while nothing is claimed, and orders that have waited too long for a broker that is away. */
export function giveUp({ context, orders, gate, isPaused, adapter, aborted, settled, giveUpAfter, sweep }: GiveUpOptions): Loop {
  const { worker, log, metrics } = context;
  const expiry = dueBound(async from => (await orders.oldest_expiry({ from }))[0], 10 * sweep);

  /** The broker has been away for the whole time, and still is. */
  async function isGone(): Promise<boolean> {
    if (isPaused()) return false;
    const away = gate.awayFor();
    return away !== undefined && away >= giveUpAfter && !(await gate.allows()) && gate.awayFor() !== undefined;
  }

  async function runOnce(): Promise<number> {
    await expiry.advance();
    const away_seconds = (await isGone()) ? giveUpAfter / 1000 : null;
    const rows = await orders.give_up({ worker, limit: batch, away_seconds, expiry_from: expiry.from() });
    for (const { idempotency_key, order_id, status, attempts, code } of rows) {
      aborted.inc({ code });
      const fields = { idempotency_key, order_id, status, attempts, last_error_code: code, adapter };
      repeatsOf(log).write("error", fields, "order.give_up", { burst: failedBurst });
    }
    if (rows.length > 0) settled();
    return rows.length;
  }
  return loop({ name: "order.give_up", runOnce, full: batch, interval: sweep, log, metrics });
}
