import { dueBound } from "../kernel/delivery/due_bound.ts";
import { type DeliveryOptions, sendClaim } from "../notification/delivery/send_claim.ts";
import { sender } from "../notification/delivery/sender.ts";
import type { NotificationSql } from "../notification/sql.gen.ts";

export type TestSenderOptions = DeliveryOptions & { readonly notifications: NotificationSql["notifications"]; readonly batch: number };

/** Each call runs a sender once over the whole backlog. */
export function testSender(options: TestSenderOptions): () => Promise<number> {
  const lost = { watch: <T>(_token: string, statement: () => Promise<T>) => statement() };
  const bound = dueBound(async () => undefined, 0);
  const runOnce = sender({ ...options, deliver: sendClaim(options), bound, lost });
  return () => runOnce(new AbortController().signal);
}
