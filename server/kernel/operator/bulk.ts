import { type Loop, loop } from "../life/loop.ts";
import { isRefused, sqlState } from "../postgres/database.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { repeatsOf, rowBurst } from "../telemetry/repeats.ts";
import type { OperationAction } from "./row_kind.ts";

interface Batch {
  readonly operation_id: string;
  readonly status: string;
  readonly changed: number;
  readonly unchanged: number;
}

/** Processes a batch of an operation, or one item of it. Does nothing while another worker holds the operation. */
type WorkOff = (parameters: { operation_id: string; position: number | null; limit: number }) => Promise<Batch[]>;

/** The statements of every system for its operations. */
export interface BulkOperationsSql {
  next(parameters: { kind: string }): Promise<{ operation_id: string; action: string; refusals: number }[]>;
  refused(parameters: { operation_id: string }): Promise<{ refusals: number }[]>;
  without_key(parameters: { kind: string }): Promise<{ operation_id: string; actor: string }[]>;
  stop(parameters: { operation_id: string; reason: string }): Promise<unknown[]>;
  items(parameters: { operation_id: string; result: string; after_position: number; limit: number }): Promise<{ position: number }[]>;
  fail_item(parameters: { operation_id: string; position: number; note: string }): Promise<{ status: string }[]>;
}

export interface BulkWorkOptions {
  readonly kind: string;
  /** Each action that the kind offers has a statement. */
  readonly sql: { readonly bulk: { readonly [action in OperationAction]?: WorkOff }; readonly operations: BulkOperationsSql };
  readonly batch: number;
  readonly pace: number;
  /** Called when rows are due at once. */
  readonly requeued: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

// How often it looks for an operation while there is none. The API of the same process wakes it.
const lookEvery = 2000;
// A concurrent change of the rows may refuse a batch once. A batch that was refused three times in a row would be refused again.
const tolerance = 3;
const noteLength = 500;

/** Whether the database refused these rows: their values, a constraint, a trigger. Any other error is temporary, and the batch is tried again. */
const isRefusal = (error: unknown): boolean => isRefused(error) || sqlState(error) === "P0001";
const wordsOf = (error: unknown): string => `${sqlState(error)}: ${(error as Error).message}`.slice(0, noteLength);

/** The message to the worker of a row kind that an operation was started. */
export const operationStarted = "operation started";

/** Processes bulk operations, a batch and a pause at a time. Its state is in the database, so another worker continues after a crash. */
export function bulkLoop({ kind, sql: { bulk, operations }, batch, pace, requeued, log, metrics }: BulkWorkOptions): Loop {
  const rows = metrics.counter("bulk_rows_total", "Rows of bulk operations, by what became of them.", ["action", "result"]);

  async function workOff(action: OperationAction, operation_id: string, position: number | null): Promise<void> {
    const [done] = (await bulk[action]?.({ operation_id, position, limit: batch })) ?? [];
    if (!done) return;
    rows.inc({ action, result: "done" }, done.changed);
    rows.inc({ action, result: "skipped" }, done.unchanged);
    if (action !== "discard" && done.changed > 0) requeued();
    if (done.status === "DONE") log.info({ operation_id, action }, "operation.done");
  }

  async function inOne(action: OperationAction, operation_id: string): Promise<void> {
    try {
      await workOff(action, operation_id, null);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [refused] = await operations.refused({ operation_id });
      log.warn({ operation_id, action, refusals: refused?.refusals, error }, "operation.refused");
    }
  }

  /** Processes the rows of a batch one by one: a refused row is given up, the others are done. */
  async function oneByOne(action: OperationAction, operation_id: string, stopping: AbortSignal): Promise<void> {
    for (const { position } of await operations.items({ operation_id, result: "PENDING", after_position: 0, limit: batch })) {
      if (stopping.aborted) return;
      try {
        await workOff(action, operation_id, position);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const [failed] = await operations.fail_item({ operation_id, position, note: wordsOf(error) });
        rows.inc({ action, result: "failed" });
        const fields = { operation_id, action, position, status: failed?.status, error };
        repeatsOf(log).write("warn", fields, "operation.item_failed", { key: action, burst: rowBurst });
      }
    }
  }

  /** Stops operations whose API key ended. Operations of people are confirmed from outside (operation_standing.ts). */
  async function stopWithoutKey(): Promise<void> {
    for (const { operation_id, actor } of await operations.without_key({ kind })) {
      const reason = `the client ${actor} has no valid API key with the scope ops:write any more`;
      if ((await operations.stop({ operation_id, reason })).length > 0) log.warn({ operation_id, actor, reason }, "operation.stopped");
    }
  }

  /** An operation from a version that offered its action: without a statement it would run for ever. */
  async function stopUnknown(action: string, operation_id: string): Promise<void> {
    const reason = `there is no action ${action} of ${kind} any more`;
    if ((await operations.stop({ operation_id, reason })).length > 0) log.warn({ operation_id, action, reason }, "operation.stopped");
  }

  async function runOnce(stopping: AbortSignal): Promise<number> {
    const due = await operations.next({ kind });
    if (due.length > 0) await stopWithoutKey(); // a stopped operation is not processed any more
    for (const { operation_id, action, refusals } of due)
      if (!(action in bulk)) await stopUnknown(action, operation_id);
      else if (refusals < tolerance) await inOne(action as OperationAction, operation_id);
      else await oneByOne(action as OperationAction, operation_id, stopping);
    return due.length;
  }

  const interval = (due: number) => (due > 0 ? pace : Math.max(pace, lookEvery));
  return loop({ name: "bulk", runOnce, full: Number.POSITIVE_INFINITY, interval, log, metrics });
}
