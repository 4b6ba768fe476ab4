import type { Health } from "./health.ts";
import type { Log } from "./log.ts";

export interface BreakerOptions {
  readonly name: string;
  /** Deadlines in a row that open it. */
  readonly tolerance: number;
  /** The rest between two probes while it is open, in milliseconds. */
  readonly probeEvery: number;
  /** Resolves if the other side is well again. One at a time. */
  readonly probe: () => Promise<unknown>;
  readonly log: Log;
  readonly health: Health;
}

/** Keeps work away from something that does not answer: while it is open nothing is tried, so nothing is charged. */
export function createBreaker({ name, tolerance, probeEvery, probe, log, health }: BreakerOptions) {
  let open = false;
  let misses = 0;
  let probing: Promise<boolean> | undefined;
  let nextProbe = 0;
  health.fine(name);

  const close = () => {
    if (open) log.info({ breaker: name }, "breaker.closed");
    open = false;
    misses = 0;
    health.fine(name);
  };
  const trip = (why: string) => {
    if (!open) log.warn({ breaker: name, why }, "breaker.opened");
    open = true;
    nextProbe = performance.now() + probeEvery;
    health.trouble(name, why);
  };
  const runProbe = async () => {
    try {
      await probe();
      close();
      return true;
    } catch (error) {
      trip(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      probing = undefined;
    }
  };

  return {
    isOpen: () => open,
    trip,
    answered(): void {
      misses = 0;
    },
    /** Notes a deadline passed without an answer. */
    missed(): void {
      if (++misses >= tolerance) trip(`${misses} deadlines in a row passed without an answer`);
    },
    /** Whether work may go ahead; if it is open and a probe is due, probes first. */
    async allows(): Promise<boolean> {
      if (!open) return true;
      if (performance.now() < nextProbe) return false;
      probing ??= runProbe();
      return probing;
    },
  };
}
export type Breaker = ReturnType<typeof createBreaker>;
