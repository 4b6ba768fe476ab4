/** Why a service cannot be used now. */
export type Failure = "bad gateway" | "timeout";

// So many failed calls in a row are a suspicion. While a circuit is open the service is probed at most once a pause.
const tolerance = 5;
const pause = 1000;

export interface CircuitOptions {
  /** Whether the service answers at all. It must settle. */
  readonly probe: () => Promise<boolean>;
  readonly now?: () => number;
}

/**
 * Keeps calls away from a service that is down, so that nobody waits for it in vain.
 *
 * Failed calls alone do not open it: they may be one user's slow questions, and everybody else would pay for them. They lead to a probe of
 * the service itself, and the probe decides. The first call after each pause makes the next probe and waits for it; all others are refused
 * at once meanwhile. A call or a probe that works closes the circuit.
 */
export function createCircuit({ probe, now = performance.now.bind(performance) }: CircuitOptions) {
  let failures = 0;
  let isOpen = false;
  let last: Failure = "bad gateway";
  let probeAt = 0;
  let probing: Promise<void> | undefined;

  function worked(): void {
    failures = 0;
    isOpen = false;
  }

  async function look(): Promise<void> {
    const isUp = await probe().catch(() => false);
    probing = undefined;
    if (isUp) return worked();
    // A call that worked while the probe was under way has the last word.
    isOpen = failures >= tolerance;
    probeAt = now() + pause;
  }

  return {
    /** Undefined if a call may go ahead, otherwise how the last ones failed. */
    async refuses(): Promise<Failure | undefined> {
      if (!isOpen) return undefined;
      if (probing || now() < probeAt) return last;
      probing = look();
      await probing;
      return isOpen ? last : undefined;
    },
    worked,
    failed(failure: Failure): void {
      failures++;
      last = failure;
      if (!isOpen && failures >= tolerance) probing ??= look();
    },
  };
}
