import { type Claim, newHold } from "../kernel/first_attempts.ts";
import type { NotificationSql, NotificationsClaimRow } from "./sql.gen.ts";

export interface SenderOptions {
  readonly notifications: Pick<NotificationSql["notifications"], "claim">;
  readonly deliver: (claim: Claim<NotificationsClaimRow>, stopping: AbortSignal) => Promise<void>;
  readonly from: () => string;
  readonly worker: string;
  readonly batch: number;
  readonly lease: number;
}

/** Claims a batch of notifications that are due, and delivers it. */
export function sender({ notifications, deliver, from, worker, batch, lease }: SenderOptions) {
  return async function runOnce(stopping: AbortSignal): Promise<number> {
    const hold = newHold();
    const rows = await notifications.claim({ worker, token: hold.token, limit: batch, lease_seconds: lease / 1000, from: from() });
    if (rows.length > 0) await deliver({ ...hold, rows }, stopping);
    return rows.length;
  };
}
