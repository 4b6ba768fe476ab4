import { type Claim, newHold } from "../kernel/first_attempts.ts";
import type { EntitlementSql, OutboxClaimRow } from "./sql.gen.ts";
import type { Seal } from "./stream_guard.ts";

export interface RelayOptions {
  readonly outbox: Pick<EntitlementSql["outbox"], "claim">;
  readonly stream: string;
  /** The seal of the stream, if it may be published to now. */
  readonly mayPublish: () => Promise<Seal | undefined>;
  readonly deliver: (claim: Claim<OutboxClaimRow>, stopping: AbortSignal) => Promise<void>;
  readonly from: () => string;
  readonly worker: string;
  readonly batch: number;
  readonly lease: number;
}

/** Claims a batch of events that are due, and brings it to the stream. */
export function relay({ outbox, stream, mayPublish, deliver, from, worker, batch, lease }: RelayOptions) {
  return async function runOnce(stopping: AbortSignal): Promise<number> {
    const seal = await mayPublish();
    if (!seal || stopping.aborted) return 0;
    const hold = newHold();
    const rows = await outbox.claim({
      worker,
      token: hold.token,
      limit: batch,
      lease_seconds: lease / 1000,
      from: from(),
      stream,
      resend_before: seal.resendBefore,
    });
    if (rows.length > 0) await deliver({ ...hold, rows }, stopping);
    return rows.length;
  };
}
