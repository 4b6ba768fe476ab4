import { type Claimed, countClaimed, type DueBound, looksPerRow } from "./due_bound.ts";
import { type Claim, fixedLease } from "./lease.ts";
import type { LostClaims } from "./lost_claims.ts";

export interface ClaimParameters {
  readonly worker: string;
  readonly token: string;
  readonly limit: number;
  readonly lease_seconds: number;
  readonly from: string;
  readonly look: number;
}

export type ClaimStatement<Row> = (parameters: ClaimParameters) => Promise<readonly Row[]>;

export interface ClaimBatchOptions<Row extends { readonly aggregate_key: string }> {
  readonly worker: string;
  readonly batch: number;
  readonly lease: number;
  /** The statement to claim with. Asked before each batch; undefined while nothing may be claimed. */
  readonly claimWith: () => Promise<ClaimStatement<Row> | undefined>;
  /** Asked before each claim: a paused worker claims nothing. */
  readonly isPaused: () => boolean;
  readonly deliver: (claim: Claim<Row>, stopping: AbortSignal) => Promise<void>;
  readonly bound: Pick<DueBound, "claim" | "follow">;
  readonly lost: Pick<LostClaims, "watch">;
}

/** One run of a worker: claims a batch of rows that are due, and delivers it. Returns how many there were. */
export function claimBatch<Row extends { readonly aggregate_key: string }>(options: ClaimBatchOptions<Row>) {
  const { worker, batch, lease: milliseconds, claimWith, isPaused, deliver, bound, lost } = options;
  return async function runOnce(stopping: AbortSignal): Promise<number> {
    const claim = await claimWith();
    const mayGoOn = () => !stopping.aborted && !isPaused();
    if (!claim || !mayGoOn()) return 0;
    await bound.follow();
    const claimFrom = async (from: string): Promise<Claimed> => {
      const lease = fixedLease(milliseconds);
      const { token } = lease;
      const parameters = { worker, token, limit: batch, lease_seconds: milliseconds / 1000, from, look: looksPerRow * batch };
      const rows = await lost.watch(token, claim(parameters));
      if (rows.length > 0) await deliver({ ...lease, rows }, stopping);
      return countClaimed(rows);
    };
    return bound.claim(batch, claimFrom, mayGoOn);
  };
}
