import { loop } from "../life/loop.ts";
import type { Service } from "../life/service.ts";
import { isAway, PoolFull } from "../postgres/database.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { repeatsOf, rowBurst } from "../telemetry/repeats.ts";

export interface LostClaimsOptions {
  readonly name: string;
  /** How long a claim holds. After that it is reclaimed anyway. */
  readonly lease: number;
  /** Requeues the rows of these tokens, and returns the tokens that held any. */
  readonly release: (tokens: { readonly token: readonly string[] }) => Promise<readonly { readonly claim_token: string }[]>;
  /** Called when rows were requeued. */
  readonly released: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface LostClaims extends Service {
  /** Waits for a statement that claims, and notes its failure. */
  watch<T>(token: string, statement: Promise<T>): Promise<T>;
  /** A statement that claims has failed. If the error does not tell whether it committed, its rows are requeued. */
  failed(token: string, error: unknown): void;
  /** Requeues the rows of a token. No attempt may have begun. */
  requeue(token: string): void;
}

const every = 250;
// While nothing is lost there is nothing to do; `requeue` wakes the loop.
const restEvery = 10_000;
// A statement without an answer may still wait for its turn in the database, and commit this much later.
const lateness = 15_000;

/**
 * A connection may break between the commit of a claim and its answer. Then nobody works on the claimed rows, but this process has the token: it
 * requeues the rows as soon as the database answers, and nothing waits for the end of the lease.
 */
export function lostClaims({ name, lease, release, released, log, metrics }: LostClaimsOptions): LostClaims {
  const lost = new Map<string, number>();

  async function runOnce(): Promise<number> {
    const now = performance.now();
    for (const [token, since] of lost) if (now - since > lease + lateness) lost.delete(token);
    if (lost.size === 0) return 0;
    const rows = await release({ token: [...lost.keys()] }).catch(() => undefined); // the database is away: at the next run
    if (!rows?.length) return 0;
    for (const { claim_token } of rows) lost.delete(claim_token);
    repeatsOf(log).write("warn", { count: rows.length }, `${name}.lost_claim`, { burst: rowBurst });
    released();
    return 0;
  }
  const interval = () => (lost.size > 0 ? every : restEvery);
  const releasing = loop({ name: `${name}.lost_claims`, runOnce, full: Number.POSITIVE_INFINITY, interval, log, metrics });

  function requeue(token: string): void {
    lost.set(token, performance.now());
    releasing.wake();
  }

  function failed(token: string, error: unknown): void {
    if (isAway(error) && !(error instanceof PoolFull)) requeue(token);
  }

  return {
    ...releasing,
    requeue,
    failed,
    async watch(token, statement) {
      try {
        return await statement;
      } catch (error) {
        failed(token, error);
        throw error;
      }
    },
  };
}
