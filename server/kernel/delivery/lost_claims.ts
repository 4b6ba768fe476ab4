import { loop } from "../life/loop.ts";
import type { Service } from "../life/service.ts";
import { isAway, PoolFull } from "../postgres/database.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";

export interface LostClaimsOptions {
  readonly name: string;
  /** How long a claim holds: after that others take it back. */
  readonly lease: number;
  /** Puts back what these tokens hold, and says which. */
  readonly release: (tokens: { readonly token: readonly string[] }) => Promise<readonly { readonly claim_token: string }[]>;
  /** Called when something was put back. */
  readonly released: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface LostClaims extends Service {
  /** Runs a statement that claims. If it fails without saying whether it was committed, what it may have claimed is put back. */
  watch<T>(token: string, statement: () => Promise<T>): Promise<T>;
  /** Puts back what the token holds; nothing may have been begun with it. */
  putBack(token: string): void;
}

const every = 250;
// A statement without an answer may still wait for its turn, and commit this much later.
const lateness = 15_000;

/**
 * A connection may be lost between the commit of a claim and its answer. Then nobody works on what was claimed, but this process knows the token: it
 * puts the rows back as soon as the database answers, and nobody has to wait for the end of the lease.
 */
export function lostClaims({ name, lease, release, released, log, metrics }: LostClaimsOptions): LostClaims {
  const lost = new Map<string, number>();

  async function runOnce(): Promise<number> {
    const now = performance.now();
    for (const [token, since] of lost) if (now - since > lease + lateness) lost.delete(token);
    if (lost.size === 0) return 0;
    const rows = await release({ token: [...lost.keys()] }).catch(() => undefined); // away: at the next turn
    if (!rows?.length) return 0;
    for (const { claim_token } of rows) lost.delete(claim_token);
    log.warn({ count: rows.length }, `${name}.lost_claim`);
    released();
    return 0;
  }
  const releasing = loop({ name: `${name}.lost_claims`, runOnce, full: Number.POSITIVE_INFINITY, interval: every, log, metrics });

  function putBack(token: string): void {
    lost.set(token, performance.now());
    releasing.wake();
  }

  return {
    ...releasing,
    putBack,
    async watch(token, statement) {
      try {
        return await statement();
      } catch (error) {
        if (isAway(error) && !(error instanceof PoolFull)) putBack(token);
        throw error;
      }
    },
  };
}
