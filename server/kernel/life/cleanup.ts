import type { Counter } from "prom-client";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { type Loop, loop } from "./loop.ts";

export interface CleanupOptions {
  readonly interval: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Deletes at most so many rows of a table, and returns them. */
type Clean = (limit: number) => Promise<readonly unknown[]>;

export interface Cleanups {
  /** Counts what was deleted, by table. */
  readonly deleted: Counter<"table">;
  loopFor(name: string, table: string, clean: Clean): Loop;
}

const batch = 1000;

/** Loops that delete rows past their retention, a batch at a time. */
export function cleanups({ interval, log, metrics }: CleanupOptions): Cleanups {
  const deleted = metrics.counter("cleanup_deleted_total", "Rows deleted past their retention.", ["table"]);
  return {
    deleted,
    loopFor(name, table, clean) {
      async function runOnce(): Promise<number> {
        const rows = await clean(batch);
        deleted.inc({ table }, rows.length);
        return rows.length;
      }
      return loop({ name: `${name}.cleanup`, runOnce, full: batch, interval, log, metrics });
    },
  };
}
