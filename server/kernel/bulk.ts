import type { Log } from "./log.ts";
import { type Loop, loop } from "./loop.ts";
import type { Metrics } from "./metrics.ts";

interface Batch {
  readonly operation_id: string;
  readonly status: string;
  readonly changed: number;
  readonly unchanged: number;
}

export interface BulkWorkOptions {
  /** Each works off one batch of one running operation, if there is one that nobody else works on. */
  readonly sql: Record<"requeue" | "discard", (parameters: { limit: number }) => Promise<Batch[]>>;
  readonly batch: number;
  readonly pace: number;
  /** Called when rows went back to PENDING. */
  readonly requeued: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Works off bulk operations, a batch and a pause at a time. All that it knows is in the database, so another worker goes on where one died. */
export function bulkLoop({ sql, batch, pace, requeued, log, metrics }: BulkWorkOptions): Loop {
  const rows = metrics.counter("bulk_rows_total", "Rows of bulk operations, by what became of them.", ["action", "result"]);

  async function workOff(action: "requeue" | "discard"): Promise<number> {
    const [done] = await sql[action]({ limit: batch });
    if (!done) return 0;
    const { operation_id, status, changed, unchanged } = done;
    rows.inc({ action, result: "done" }, changed);
    rows.inc({ action, result: "skipped" }, unchanged);
    if (status === "DONE") log.info({ operation_id, action }, "operation.done");
    return changed;
  }

  async function runOnce(): Promise<number> {
    if ((await workOff("requeue")) > 0) requeued();
    await workOff("discard");
    return 0;
  }

  return loop({ name: "bulk", runOnce, full: Number.POSITIVE_INFINITY, interval: pace, log, metrics });
}
