import { claimBatch } from "../kernel/delivery/claim_batch.ts";
import { dueBound } from "../kernel/delivery/due_bound.ts";
import { type SendClaimOptions, sendClaim } from "../notification/delivery/send_claim.ts";
import type { NotificationSql, NotificationsClaimRow } from "../notification/sql.gen.ts";

export type TestSenderOptions = SendClaimOptions & { readonly notifications: NotificationSql["notifications"]; readonly batch: number };

/** Each call runs a sender once over the whole backlog. */
export function testSender(options: TestSenderOptions): () => Promise<number> {
  const lost = { watch: <T>(_token: string, statement: Promise<T>) => statement };
  const bound = dueBound(async () => undefined, 0);
  const claimWith = async () => options.notifications.claim;
  const runOnce = claimBatch<NotificationsClaimRow>({
    ...options,
    claimWith,
    isPaused: () => false,
    deliver: sendClaim(options),
    bound,
    lost,
  });
  return async () => (await runOnce(new AbortController().signal)).count;
}
