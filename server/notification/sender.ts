import type { Claim } from "./delivery.ts";
import type { NotificationSql } from "./sql.gen.ts";

export interface SenderOptions {
  readonly notifications: Pick<NotificationSql["notifications"], "claim">;
  readonly deliver: (claim: Claim, stopping: AbortSignal) => Promise<void>;
  readonly from: () => string;
  readonly worker: string;
  readonly batch: number;
  readonly lease: number;
}

/** Claims a batch of notifications that are due, and delivers it. */
export function sender({ notifications, deliver, from, worker, batch, lease }: SenderOptions) {
  return async function runOnce(stopping: AbortSignal): Promise<number> {
    const token = crypto.randomUUID();
    const claimedAt = performance.now();
    const rows = await notifications.claim({ worker, token, limit: batch, lease_seconds: lease / 1000, from: from() });
    if (rows.length > 0) await deliver({ token, claimedAt, rows }, stopping);
    return rows.length;
  };
}
