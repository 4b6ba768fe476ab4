/** Why a service cannot be used now. */
export type Failure = "bad gateway" | "timeout";

// So many failures in a row open it; after the pause one call at a time tries whether it is well again.
const tolerance = 5;
const pause = 1000;

/** Keeps calls away from a service that does not answer, so that nobody waits for it in vain. */
export function createCircuit(now: () => number = performance.now.bind(performance)) {
  let failures = 0;
  let last: Failure = "bad gateway";
  let tryAt = 0;

  return {
    /** Undefined if a call may go ahead, otherwise how the last ones failed. */
    refuses(): Failure | undefined {
      if (failures < tolerance) return undefined;
      if (now() < tryAt) return last;
      tryAt = now() + pause;
      return undefined;
    },
    worked(): void {
      failures = 0;
    },
    failed(failure: Failure): void {
      failures++;
      last = failure;
      if (failures >= tolerance) tryAt = now() + pause;
    },
  };
}
