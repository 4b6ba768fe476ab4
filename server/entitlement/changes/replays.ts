import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { IdempotencyReplayedParameters } from "../sql.gen.ts";

/** Identifies a stored response. */
export interface KeyScope {
  readonly clientId: string;
  readonly route: string;
  readonly key: string;
}

export interface ReplaysOptions {
  readonly write: (parameters: IdempotencyReplayedParameters) => Promise<unknown>;
  readonly metrics: Metrics;
  /** The most keys that are counted between two writes. Replays of further keys are not counted. */
  readonly most?: number;
}

/**
 * Counts replays in memory, so that a replay costs no statement. A loop writes the counts in one statement. Counts that are not written when the
 * process dies are lost: they are statistics.
 */
export function replayCounter({ write, metrics, most = 5000 }: ReplaysOptions) {
  const uncounted = metrics.counter("replays_uncounted_total", "Replays that were not stored, because there were too many keys.");
  let counts = new Map<string, { scope: KeyScope; replays: number }>();

  function note({ clientId, route, key }: KeyScope, replays = 1): void {
    const name = `${clientId}\n${route}\n${key}`;
    const known = counts.get(name);
    if (known) known.replays += replays;
    else if (counts.size < most) counts.set(name, { scope: { clientId, route, key }, replays });
    else uncounted.inc(replays);
  }

  /** Stores the counts. If that fails, they are kept for the next time. Returns the number of keys. */
  async function flush(): Promise<number> {
    const taken = [...counts.values()];
    if (taken.length === 0) return 0;
    counts = new Map();
    try {
      await write({
        client_id: taken.map(({ scope }) => scope.clientId),
        route: taken.map(({ scope }) => scope.route),
        idem_key: taken.map(({ scope }) => scope.key),
        replays: taken.map(({ replays }) => replays),
      });
    } catch (error) {
      for (const { scope, replays } of taken) note(scope, replays);
      throw error;
    }
    return taken.length;
  }

  return { note, flush };
}
