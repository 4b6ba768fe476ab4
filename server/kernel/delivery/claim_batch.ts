import { type Claimed, countClaimed, type DueBound } from "./due_bound.ts";
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
  /** If nothing can be claimed, the search goes on at so many places of the backlog, or at all. */
  readonly places?: number | undefined;
}

/** `hasRuns`: there were several rows of one aggregate. */
export interface Worked {
  readonly count: number;
  readonly hasRuns: boolean;
}

/** One run of a worker: claims a batch of rows that are due, and delivers it. */
export function claimBatch<Row extends { readonly aggregate_key: string }>(options: ClaimBatchOptions<Row>) {
  const { worker, batch, lease: milliseconds, claimWith, isPaused, deliver, bound, lost, places } = options;
  return async function runOnce(stopping: AbortSignal): Promise<Worked> {
    let hasRuns = false;
    const claim = await claimWith();
    const mayGoOn = () => !stopping.aborted && !isPaused();
    if (!claim || !mayGoOn()) return { count: 0, hasRuns };
    await bound.follow();
    const claimFrom = async (from: string, look: number): Promise<Claimed> => {
      const lease = fixedLease(milliseconds);
      const { token } = lease;
      const parameters = { worker, token, limit: batch, lease_seconds: milliseconds / 1000, from, look };
      const rows = await lost.watch(token, claim(parameters));
      if (rows.length > 0) await deliver({ ...lease, rows }, stopping);
      const claimed = countClaimed(rows);
      if (claimed.aggregates < claimed.count) hasRuns = true;
      return claimed;
    };
    const count = await bound.claim(batch, claimFrom, mayGoOn, places);
    return { count, hasRuns };
  };
}
