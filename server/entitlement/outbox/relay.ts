import { countClaimed, type dueBound, looksPerRow } from "../../kernel/delivery/due_bound.ts";
import { type Claim, fixedLease } from "../../kernel/delivery/lease.ts";
import type { LostClaims } from "../../kernel/delivery/lost_claims.ts";
import type { EntitlementSql, OutboxClaimRow } from "../sql.gen.ts";
import type { StreamCheck } from "./stream_checks.ts";

export interface RelayOptions {
  readonly outbox: Pick<EntitlementSql["outbox"], "claim">;
  readonly stream: string;
  /** The seal of the stream, if it may be published to now. */
  readonly mayPublish: () => Promise<StreamCheck | undefined>;
  readonly deliver: (claim: Claim<OutboxClaimRow>, stopping: AbortSignal) => Promise<void>;
  readonly bound: Pick<ReturnType<typeof dueBound>, "claim">;
  readonly lost: Pick<LostClaims, "watch">;
  readonly worker: string;
  readonly batch: number;
  readonly lease: number;
}

/** Claims a batch of events that are due, and brings it to the stream. */
export function relay({ outbox, stream, mayPublish, deliver, bound, lost, worker, batch, lease }: RelayOptions) {
  return async function runOnce(stopping: AbortSignal): Promise<number> {
    const seal = await mayPublish();
    if (!seal || stopping.aborted) return 0;
    const claimFrom = async (from: string) => {
      const held = fixedLease(lease);
      const rows = await lost.watch(held.token, () =>
        outbox.claim({
          worker,
          token: held.token,
          limit: batch,
          lease_seconds: lease / 1000,
          from,
          stream,
          resend_before: seal.resendBefore,
          look: looksPerRow * batch,
        }),
      );
      if (rows.length > 0) await deliver({ ...held, rows }, stopping);
      return countClaimed(rows);
    };
    return bound.claim(batch, claimFrom, stopping);
  };
}
