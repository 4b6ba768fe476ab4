import { retryWhile } from "../life/loop.ts";
import { isAway } from "../postgres/database.ts";

/** A worker's right to its rows for a while. */
export interface Lease {
  readonly token: string;
  /** Whether it ends within so many milliseconds, by this process's clock. */
  endsWithin(milliseconds: number): boolean;
  /** Aborted when the lease has ended although its worker tried to renew it. */
  readonly ended: AbortSignal;
  /** Ends the renewals and waits for one under way. Comes before the rows are settled: both change the same rows. */
  stopRenewing(): Promise<void>;
}

/** The rows of a lease. Those of one aggregate are in order. */
export interface Claim<Row> extends Lease {
  readonly rows: readonly Row[];
}

const never = new AbortController().signal;

/** A lease that is not renewed. */
export function fixedLease(milliseconds: number): Lease {
  const claimedAt = performance.now();
  return {
    token: crypto.randomUUID(),
    endsWithin: margin => performance.now() > claimedAt + milliseconds - margin,
    ended: never,
    stopRenewing: async () => {},
  };
}

/** A lease that its worker renews during the attempt. It is short: if the worker dies, only its end frees the rows. */
export interface RenewedLease extends Lease {
  /** Renews the lease from now on, each time a third of it is over. */
  keepRenewing(renew: () => Promise<boolean>): void;
}

export function renewedLease(milliseconds: number): RenewedLease {
  const claimedAt = performance.now();
  const over = new AbortController();
  let lastsUntil = claimedAt + milliseconds;
  let timer: Timer | undefined;
  let renewing: Promise<void> | undefined;

  async function renewOnce(renew: () => Promise<boolean>): Promise<void> {
    const since = performance.now();
    // If the database is away, the next tick tries again.
    const isHeld = await renew().catch(() => undefined);
    if (isHeld) lastsUntil = since + milliseconds;
    if (isHeld === false) over.abort();
    renewing = undefined;
  }

  return {
    token: crypto.randomUUID(),
    endsWithin: margin => performance.now() > lastsUntil - margin,
    ended: over.signal,
    keepRenewing(renew) {
      timer = setInterval(() => {
        const now = performance.now();
        if (now > lastsUntil) over.abort();
        if (now > lastsUntil - (milliseconds * 2) / 3) renewing ??= renewOnce(renew);
      }, milliseconds / 10);
    },
    async stopRenewing() {
      clearInterval(timer);
      await renewing;
    },
  };
}

/** A deadline that fits into half of a lease: an attempt that starts in the first half ends before the lease does. */
export const withinLease = (deadline: number, lease: number): number => Math.min(deadline, lease / 2);

/** Whether an attempt may still start: not shortly before the lease ends and another worker may make the same attempt, nor during a stop. */
export const mayStart = (lease: Lease, stopping: AbortSignal, margin: number): boolean => !stopping.aborted && !lease.endsWithin(margin);

export interface Settled<Row> {
  readonly rows: readonly Row[];
  /** False if an earlier try may have changed rows without an answer. Then a missing row may be settled. */
  readonly isSure: boolean;
}

/**
 * Settles rows, and tries again while the database is away and the lease lasts: the result of the attempt is known, and the token prevents a second
 * settlement.
 */
export async function settleWhileHeld<Row>(
  lease: Lease,
  stopping: AbortSignal,
  settle: () => Promise<readonly Row[]>,
): Promise<Settled<Row>> {
  let isSure = true;
  const again = (error: unknown) => {
    isSure = false;
    return isAway(error) && !lease.endsWithin(0);
  };
  const rows = await retryWhile(settle, again, stopping);
  return { rows, isSure };
}
