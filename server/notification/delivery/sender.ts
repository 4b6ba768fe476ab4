import { countClaimed, type dueBound, looksPerRow } from "../../kernel/delivery/due_bound.ts";
import { type Claim, fixedLease } from "../../kernel/delivery/lease.ts";
import type { LostClaims } from "../../kernel/delivery/lost_claims.ts";
import type { NotificationSql, NotificationsClaimRow } from "../sql.gen.ts";

export interface SenderOptions {
  readonly notifications: Pick<NotificationSql["notifications"], "claim">;
  readonly deliver: (claim: Claim<NotificationsClaimRow>, stopping: AbortSignal) => Promise<void>;
  readonly bound: Pick<ReturnType<typeof dueBound>, "claim">;
  readonly lost: Pick<LostClaims, "watch">;
  readonly worker: string;
  readonly batch: number;
  readonly lease: number;
}

/** Claims a batch of notifications that are due, and delivers it. */
export function sender({ notifications, deliver, bound, lost, worker, batch, lease }: SenderOptions) {
  return function runOnce(stopping: AbortSignal): Promise<number> {
    const claimFrom = async (from: string) => {
      const held = fixedLease(lease);
      const rows = await lost.watch(held.token, () =>
        notifications.claim({ worker, token: held.token, limit: batch, lease_seconds: lease / 1000, from, look: looksPerRow * batch }),
      );
      if (rows.length > 0) await deliver({ ...held, rows }, stopping);
      return countClaimed(rows);
    };
    return bound.claim(batch, claimFrom, stopping);
  };
}
