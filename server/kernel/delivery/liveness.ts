import { loop } from "../life/loop.ts";
import type { RoleContext } from "../life/role.ts";
import type { Service } from "../life/service.ts";
import { isAway } from "../postgres/database.ts";

export interface LivenessOptions {
  readonly context: Pick<RoleContext, "role" | "log" | "metrics" | "health" | "giveUp">;
  /** Which work of the role, if it has several kinds that are watched apart. */
  readonly of?: string;
  /** How often it looks, and after how many looks in a row with due work and without progress the worker counts as stuck. */
  readonly every: number;
  readonly looks: number;
  /** The longest that one batch may take, so that a slow one does not count as stuck. */
  readonly longestBatch: number;
  readonly work: Work;
  /** While it is paused it does nothing, and is not stuck. */
  readonly isPaused: () => boolean;
  /** Whether there is work that this worker could have done by now. Rejects if that cannot be found out. */
  readonly isDue: () => Promise<boolean>;
  /** Rejects if a server that the work needs does not answer. It must not use the worker's own breakers and flags: they may be at fault. */
  readonly answers: () => Promise<unknown>;
}

/** Counts the work that was done, and the runs that failed because the database was away. */
export function countWork() {
  let done = 0;
  let setbacks = 0;
  return {
    done: () => done,
    setbacks: () => setbacks,
    did(count: number): void {
      done += count;
    },
    /** The same function, counted. */
    counted<Input, Output>(run: (input: Input) => Promise<Output>, size: (output: Output) => number) {
      return async (input: Input): Promise<Output> => {
        try {
          const output = await run(input);
          done += size(output);
          return output;
        } catch (error) {
          if (isAway(error)) setbacks++;
          throw error;
        }
      };
    },
  };
}
export type Work = ReturnType<typeof countWork>;

/**
 * Work is due, the servers that it needs answer, and nothing was done for many looks: the worker is stuck, whatever the reason. Then it ends, and is
 * started again. It counts looks, not seconds: a process that was stopped for a while was not stuck.
 */
export function liveness({ context, of, every, looks, longestBatch, work, isPaused, isDue, answers }: LivenessOptions): Service {
  const { role, log, metrics, health, giveUp } = context;
  const part = of ? `liveness of ${of}` : "liveness";
  const name = of ? `${role}.${of}.liveness` : `${role}.liveness`;
  const patience = Math.max(looks, Math.ceil((1.5 * longestBatch) / every));
  let inVain = 0;
  let before = { done: 0, setbacks: 0 };
  let ended = false;
  health.fine(part);

  async function isIdle(): Promise<boolean> {
    const now = { done: work.done(), setbacks: work.setbacks() };
    const hasMoved = now.done !== before.done || now.setbacks !== before.setbacks;
    before = now;
    if (hasMoved || isPaused() || !(await isDue())) return false;
    await answers();
    return work.done() === now.done && work.setbacks() === now.setbacks;
  }

  async function look(): Promise<number> {
    if (ended) return 0;
    // If a server is away, waiting is right.
    inVain = (await isIdle().catch(() => false)) ? inVain + 1 : 0;
    if (inVain === 0) health.fine(part);
    if (inVain * 2 >= patience) health.trouble(part, `work${of ? ` of ${of}` : ""} is due and nothing was done for ${inVain} looks`);
    if (inVain >= patience) stuck();
    return 0;
  }

  function stuck(): void {
    ended = true;
    const why = `work${of ? ` of ${of}` : ""} was due, what it needs answered, and nothing was done for ${inVain} looks`;
    metrics.workerStuck.inc({ role });
    log.error({ looks: inVain, every, of }, "worker.stuck");
    giveUp(why);
  }

  return loop({ name, runOnce: look, full: Number.POSITIVE_INFINITY, interval: every, log, metrics });
}
