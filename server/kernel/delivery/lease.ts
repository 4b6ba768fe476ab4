import { retryWhile } from "../life/loop.ts";
import { isAway } from "../postgres/database.ts";

/** What a worker holds its rows by. */
export interface Lease {
  readonly token: string;
  /** Whether it ends within so many milliseconds, by this process's clock. */
  endsWithin(milliseconds: number): boolean;
  /** Aborted when it has ended although its holder tried to renew it. */
  readonly ended: AbortSignal;
  /** It is not renewed any more, and no renewal is under way: before the rows are settled, because both change the same ones. */
  letGo(): Promise<void>;
}

/** Rows that a worker holds, those of an aggregate in order. */
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
    letGo: async () => {},
  };
}

/** A lease that its holder keeps up while it works: short, because it is all that ends a claim when the holder dies. */
export interface RenewedLease extends Lease {
  /** Renews it from now on, each time a third of it is over. */
  keepUp(renew: () => Promise<boolean>): void;
}

export function renewedLease(milliseconds: number): RenewedLease {
  const claimedAt = performance.now();
  const over = new AbortController();
  let lastsUntil = claimedAt + milliseconds;
  let timer: Timer | undefined;
  let renewing: Promise<void> | undefined;

  async function renewOnce(renew: () => Promise<boolean>): Promise<void> {
    const since = performance.now();
    // A database that is away is asked again at the next turn.
    const isHeld = await renew().catch(() => undefined);
    if (isHeld) lastsUntil = since + milliseconds;
    if (isHeld === false) over.abort();
    renewing = undefined;
  }

  return {
    token: crypto.randomUUID(),
    endsWithin: margin => performance.now() > lastsUntil - margin,
    ended: over.signal,
    keepUp(renew) {
      timer = setInterval(() => {
        const now = performance.now();
        if (now > lastsUntil) over.abort();
        if (now > lastsUntil - (milliseconds * 2) / 3) renewing ??= renewOnce(renew);
      }, milliseconds / 10);
    },
    async letGo() {
      clearInterval(timer);
      await renewing;
    },
  };
}

export interface Settled<Row> {
  readonly rows: readonly Row[];
  /** False if an earlier try may have changed rows without an answer: then what is missing may be settled. */
  readonly isSure: boolean;
}

/**
 * Settles, and does it again as long as the database is away and the lease lasts: what became of the attempt is known, and the token sees to it that
 * nothing is settled twice.
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
