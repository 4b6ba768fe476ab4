import type { Counter } from "prom-client";
import { type Loop, loop } from "../life/loop.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";

type Clean = (parameters: { retention_seconds: number; limit: number }) => Promise<unknown[]>;

export interface OperationCleanupOptions {
  readonly sql: { readonly cleanup_items: Clean; readonly cleanup: Clean };
  readonly retention: number;
  readonly interval: number;
  /** Counts what was deleted, by table. */
  readonly deleted: Counter<"table">;
  readonly log: Log;
  readonly metrics: Metrics;
}

const batch = 1000;

/** Deletes the items of operations that were finished long ago, a batch at a time, then the operations that have none left. The audit stays. */
export function operationCleanup({ sql, retention, interval, deleted, log, metrics }: OperationCleanupOptions): Loop {
  const old = { retention_seconds: retention / 1000, limit: batch };
  async function runOnce(): Promise<number> {
    const items = await sql.cleanup_items(old);
    deleted.inc({ table: "operation_items" }, items.length);
    const operations = await sql.cleanup(old);
    deleted.inc({ table: "operations" }, operations.length);
    return Math.max(items.length, operations.length);
  }
  return loop({ name: "operations.cleanup", runOnce, full: batch, interval, log, metrics });
}
