const shortDelay = 20;
const longDelay = 200;
// Usually the predecessor comes at once. After so many waits it is unlikely to.
const shortOnes = 20;

/** Events of one pair that arrived before their predecessor. Another consumer may be handling that one. */
interface Waiting {
  /** The newest consumed version, and since when there was none newer. */
  readonly reached: number;
  readonly since: number;
  /** The lowest waiting version. */
  readonly lowest: number;
  readonly waits: number;
}

/**
 * How long early events of a pair wait: short delays, again and again, up to the limit without progress of their pair. Then the earliest is let
 * through, and the others can follow. If that one is not delivered again, any other is let through after the same time again. Each consumer has its
 * own memory. An entry counts only as long as the database has the same newest version.
 */
export function createPatience(limit: number) {
  const pairs = new Map<string, Waiting>();

  function forget(now: number): void {
    // Most of these pairs went on in another consumer.
    for (const [aggregateKey, { since }] of pairs) {
      if (now - since < 10 * limit + 10_000) return;
      pairs.delete(aggregateKey);
    }
  }

  return {
    /** After an outage, in which no pair could make progress. */
    startAnew: () => pairs.clear(),
    /** The newest consumed version if this version of the pair has waited long enough; otherwise undefined. */
    usedUpAt(aggregateKey: string, version: number): number | undefined {
      if (limit === 0) return Number.MAX_SAFE_INTEGER;
      const waiting = pairs.get(aggregateKey);
      if (!waiting) return undefined;
      const { since, lowest, reached } = waiting;
      return performance.now() - since >= (version <= lowest ? limit : 2 * limit) ? reached : undefined;
    },
    /** Events of the pair from this version on have to wait. Returns the delay until their next delivery in milliseconds. */
    wait(aggregateKey: string, reached: number, version: number): number {
      const now = performance.now();
      const before = pairs.get(aggregateKey);
      const { since, waits, lowest } = before?.reached === reached ? before : { since: now, waits: 0, lowest: version };
      pairs.delete(aggregateKey);
      pairs.set(aggregateKey, { reached, since, waits: waits + 1, lowest: Math.min(lowest, version) });
      forget(now);
      return waits < shortOnes ? shortDelay : longDelay;
    },
  };
}

export type Patience = ReturnType<typeof createPatience>;
