import type { Faults } from "../life/fault.ts";
import { type Loop, loop } from "../life/loop.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { isLogged, markLogged, repeatsOf } from "../telemetry/repeats.ts";

/** An erasure that a system is not done with. */
export interface OpenErasure {
  readonly pseudonym: string;
  readonly user_id: string;
  readonly progress: unknown;
}

/** The statements of every system with a database. */
export interface ErasureSql {
  open(): Promise<{ pseudonym: string; user_id: string; progress: unknown }[]>;
  step(parameters: { pseudonym: string; batch: number }): Promise<{ more: boolean }[]>;
}

export interface ErasureOptions {
  readonly erasures: ErasureSql;
  readonly interval: number;
  /** Runs before the steps, for what is not in the database. False: the erasure waits, and the reason is noted. */
  readonly prepare?: (erasure: OpenErasure, stopping: AbortSignal) => Promise<boolean>;
  readonly faults: Faults;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The deadline of a step: it may change all rows of a user in one transaction. */
export const erasureStepWithin = 60_000;
// Rows of a table that one transaction goes through.
const batch = 2000;

/** Does steps until there is nothing more to do now. */
export async function workOn(
  erasures: Pick<ErasureSql, "step">,
  pseudonym: string,
  stepped: () => void,
  stopping?: AbortSignal,
): Promise<void> {
  while (!stopping?.aborted) {
    const [step] = await erasures.step({ pseudonym, batch });
    if (!step?.more) return;
    stepped();
  }
}

/**
 * Works on the erasures of a system. A step is one transaction, and records how far it came: after a crash the next run continues there. Two workers on one
 * erasure take turns by its row lock. One erasure that fails does not stop the others.
 */
export function erasureLoop({ erasures, interval, prepare, faults, log, metrics }: ErasureOptions): Loop {
  async function runOnce(stopping: AbortSignal): Promise<number> {
    const failures: unknown[] = [];
    for (const erasure of await erasures.open()) {
      if (stopping.aborted) break;
      try {
        if (prepare && !(await prepare(erasure, stopping))) continue;
        await workOn(erasures, erasure.pseudonym, () => faults.at("erasure.stepped"), stopping);
      } catch (error) {
        failures.push(error);
        if (isLogged(error)) continue;
        repeatsOf(log).write("warn", { pseudonym: erasure.pseudonym, error }, "erasure.step_failed", { key: erasure.pseudonym });
        markLogged(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return 0;
  }
  return loop({ name: "erasures", runOnce, full: Number.POSITIVE_INFINITY, interval, log, metrics });
}
