const shortDelay = 20;
const longDelay = 200;
// Mostly the predecessor comes at once; after so many times in vain it is not likely to.
const shortOnes = 20;

/** Events of one pair that come before their predecessor, which another consumer may have in its hands. */
interface Waiting {
  /** The newest version consumed, and since when nothing newer was. */
  readonly reached: number;
  readonly since: number;
  readonly waits: number;
}

/**
 * How long early events of a pair wait: a moment, then a little longer each time, and no more than the limit without any progress of their pair.
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
    /** If the pair has waited long enough: at which version. */
    usedUpAt(aggregateKey: string): number | undefined {
      if (limit === 0) return Number.MAX_SAFE_INTEGER;
      const waiting = pairs.get(aggregateKey);
      return waiting && performance.now() - waiting.since >= limit ? waiting.reached : undefined;
    },
    /** An event of the pair has to wait; how many milliseconds until it is to come again. */
    wait(aggregateKey: string, reached: number): number {
      const now = performance.now();
      const before = pairs.get(aggregateKey);
      const { since, waits } = before?.reached === reached ? before : { since: now, waits: 0 };
      pairs.delete(aggregateKey);
      pairs.set(aggregateKey, { reached, since, waits: waits + 1 });
      forget(now);
      return waits < shortOnes ? shortDelay : longDelay;
    },
  };
}

export type Patience = ReturnType<typeof createPatience>;
