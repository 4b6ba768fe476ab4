import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { repeatsOf } from "../telemetry/repeats.ts";

export interface BreakerOptions {
  readonly name: string;
  /** For the log: what does not work, what goes on meanwhile, what to check. */
  readonly says: string;
  /** Deadlines in a row that open it. */
  readonly tolerance: number;
  /** The pause between two probes while it is open, in milliseconds. */
  readonly probeEvery: number;
  /** A probe that takes longer has failed. So a probe that never settles does not keep the breaker open. */
  readonly probeWithin: number;
  /** Resolves if the other side works again. One at a time. */
  readonly probe: () => Promise<unknown>;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly now?: () => number;
}

/** A circuit breaker: while it is open nothing is tried, and no attempt is charged. */
export function createBreaker(options: BreakerOptions) {
  const { name, says, tolerance, probeEvery, probeWithin, probe, log, health, metrics, now = performance.now.bind(performance) } = options;
  let open = false;
  let misses = 0;
  let trips = 0;
  let nextProbe = 0;
  let probing: Promise<boolean> | undefined;
  metrics.breakerOpen.set({ breaker: name }, 0);
  health.fine(name);

  const close = () => {
    if (open) repeatsOf(log).over("breaker.opened", name, { breaker: name }, "breaker.closed");
    open = false;
    misses = 0;
    metrics.breakerOpen.set({ breaker: name }, 0);
    health.fine(name);
  };
  const trip = (why: string) => {
    repeatsOf(log).write("warn", { breaker: name, why, says }, "breaker.opened", { key: name });
    open = true;
    metrics.breakerOpen.set({ breaker: name }, 1);
    trips++;
    nextProbe = now() + probeEvery;
    health.trouble(name, why);
  };
  const runProbe = async () => {
    const tripsBefore = trips;
    try {
      // In a promise, so that a probe that throws at once fails like any other.
      await withTimeout(probeWithin, `the probe of ${name}`, Promise.resolve().then(probe));
    } catch (error) {
      trip(error instanceof Error ? error.message : String(error));
      return false;
    }
    // A trip during the probe is newer than the result of the probe.
    if (trips === tripsBefore) close();
    return !open;
  };
  const startProbe = () => {
    const current = runProbe();
    probing = current;
    const clear = () => {
      if (probing === current) probing = undefined;
    };
    current.then(clear, clear); // only now: it must not run before the assignment
    return current;
  };

  return {
    isOpen: () => open,
    trip,
    answered(): void {
      misses = 0;
    },
    /** A deadline passed without an answer. While the breaker is open only a probe decides. */
    missed(): void {
      if (!open && ++misses >= tolerance) trip(`${misses} deadlines in a row passed without an answer`);
    },
    /** Whether work may go on. If the breaker is open and a probe is due, probes first. */
    async allows(): Promise<boolean> {
      if (!open) return true;
      if (probing) return probing;
      if (now() < nextProbe) return false;
      return startProbe();
    },
  };
}
export type Breaker = ReturnType<typeof createBreaker>;
