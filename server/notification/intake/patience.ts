const shortDelay = 20;
const longDelay = 200;
// Mostly the predecessor comes at once; after so many times in vain it is not likely to.
const shortOnes = 20;

/** Events of one pair that come before their predecessor, which another consumer may have in its hands. */
interface Waiting {
  /** The newest version consumed, and since when nothing newer was. */
  readonly reached: number;
  readonly since: number;
  /** The earliest of those that wait. */
  readonly lowest: number;
  readonly waits: number;
}

/**
 * How long early events of a pair wait: a moment, again and again, and no more than the limit without any progress of their pair. Then the
 * earliest is let through, and those after it can follow; if that one does not come again either, after as long again any other.
 * Each consumer has a memory of its own; what it remembers holds only as long as the database says the same.
 */
export function createPatience(limit: number) {
  const pairs = new Map<string, Waiting>();

  function forget(now: number): void {
    // Most pairs went on elsewhere.
    for (const [aggregateKey, { since }] of pairs) {
      if (now - since < 10 * limit + 10_000) return;
      pairs.delete(aggregateKey);
    }
  }

  return {
    /** Nobody could make progress: what waits has not waited in vain. */
    startAnew: () => pairs.clear(),
    /** If this version of the pair has waited long enough: behind which one. */
    usedUpAt(aggregateKey: string, version: number): number | undefined {
      if (limit === 0) return Number.MAX_SAFE_INTEGER;
      const waiting = pairs.get(aggregateKey);
      if (!waiting) return undefined;
      const { since, lowest, reached } = waiting;
      return performance.now() - since >= (version <= lowest ? limit : 2 * limit) ? reached : undefined;
    },
    /** Events of the pair from this version on have to wait; how many milliseconds until they are to come again. */
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
