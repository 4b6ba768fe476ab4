import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import type { Log } from "../telemetry/log.ts";

export interface BreakerOptions {
  readonly name: string;
  /** Deadlines in a row that open it. */
  readonly tolerance: number;
  /** The rest between two probes while it is open, in milliseconds. */
  readonly probeEvery: number;
  /** A probe that takes longer has failed, so that one that never settles does not keep the breaker open. */
  readonly probeWithin: number;
  /** Resolves if the other side is well again. One at a time. */
  readonly probe: () => Promise<unknown>;
  readonly log: Log;
  readonly health: Health;
  readonly now?: () => number;
}

/** Keeps work away from something that does not answer: while it is open nothing is tried, so nothing is charged. */
export function createBreaker(options: BreakerOptions) {
  const { name, tolerance, probeEvery, probeWithin, probe, log, health, now = performance.now.bind(performance) } = options;
  let open = false;
  let misses = 0;
  let trips = 0;
  let nextProbe = 0;
  let probing: Promise<boolean> | undefined;
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
    trips++;
    nextProbe = now() + probeEvery;
    health.trouble(name, why);
  };
  const runProbe = async () => {
    const tripsBefore = trips;
    try {
      // Started by a promise: a probe that throws at once has failed like any other.
      await withTimeout(probeWithin, `the probe of ${name}`, Promise.resolve().then(probe));
    } catch (error) {
      trip(error instanceof Error ? error.message : String(error));
      return false;
    }
    // A trip during the probe is newer than what the probe found.
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
    /** Notes a deadline passed without an answer. While it is open that is nothing new: only a probe decides. */
    missed(): void {
      if (!open && ++misses >= tolerance) trip(`${misses} deadlines in a row passed without an answer`);
    },
    /** Whether work may go ahead; if it is open and a probe is due, probes first. */
    async allows(): Promise<boolean> {
      if (!open) return true;
      if (probing) return probing;
      if (now() < nextProbe) return false;
      return startProbe();
    },
  };
}
export type Breaker = ReturnType<typeof createBreaker>;
