/** Why a service cannot be used now. `unavailable`: it answers so itself. */
export type Failure = "bad gateway" | "timeout" | "unavailable";

// After so many failed calls in a row the service is probed. While the circuit is open it is probed at most once per pause.
const tolerance = 5;
const pause = 1000;

export interface CircuitOptions {
  /** Whether the service responds at all. Must settle. */
  readonly probe: () => Promise<boolean>;
  /** Called when it opens and when it closes. Must not throw. */
  readonly changed?: (isOpen: boolean) => void;
  readonly now?: () => number;
}

/**
 * A circuit breaker: refuses calls to a service that is down, so that callers do not wait for it.
 *
 * Failed calls alone do not open it: they may be slow requests of one user, and all other users would be refused. They trigger a probe of the
 * service, and the probe decides. While it is open, the first call after each pause runs the next probe and waits for it; all other calls are
 * refused at once. A successful call or probe closes the circuit.
 */
export function createCircuit({ probe, changed = () => {}, now = performance.now.bind(performance) }: CircuitOptions) {
  let failures = 0;
  let isOpen = false;
  let last: Failure = "bad gateway";
  let probeAt = 0;
  let probing: Promise<void> | undefined;

  function turn(open: boolean): void {
    if (isOpen === open) return;
    isOpen = open;
    changed(open);
  }

  function worked(): void {
    failures = 0;
    turn(false);
  }

  async function runProbe(): Promise<void> {
    const isUp = await probe().catch(() => false);
    probing = undefined;
    if (isUp) return worked();
    // A call that succeeded during the probe has reset the count: then the circuit stays closed.
    turn(failures >= tolerance);
    probeAt = now() + pause;
  }

  return {
    isOpen: () => isOpen,
    /** Undefined if a call may go ahead, otherwise how the last call failed. */
    async refuses(): Promise<Failure | undefined> {
      if (!isOpen) return undefined;
      if (probing || now() < probeAt) return last;
      probing = runProbe();
      await probing;
      return isOpen ? last : undefined;
    },
    worked,
    failed(failure: Failure): void {
      failures++;
      last = failure;
      if (!isOpen && failures >= tolerance) probing ??= runProbe();
    },
  };
}
