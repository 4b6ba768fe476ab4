import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { IdempotencyReplayedParameters } from "../sql.gen.ts";

/** Names an answer that is kept. */
export interface KeyScope {
  readonly clientId: string;
  readonly route: string;
  readonly key: string;
}

export interface ReplaysOptions {
  readonly write: (parameters: IdempotencyReplayedParameters) => Promise<unknown>;
  readonly metrics: Metrics;
  /** Different keys that are remembered between two writes; beyond it a replay is not counted. */
  readonly most?: number;
}

/**
 * Counts replays without costing them anything: in memory, written by a loop in one statement. They are statistics: what is not written
 * when the process dies is lost.
 */
export function replayBook({ write, metrics, most = 5000 }: ReplaysOptions) {
  const uncounted = metrics.counter("replays_uncounted_total", "Replays that were not written down, because there were too many keys.");
  let counts = new Map<string, { scope: KeyScope; replays: number }>();

  function note({ clientId, route, key }: KeyScope, replays = 1): void {
    const name = `${clientId}\n${route}\n${key}`;
    const known = counts.get(name);
    if (known) known.replays += replays;
    else if (counts.size < most) counts.set(name, { scope: { clientId, route, key }, replays });
    else uncounted.inc(replays);
  }

  /** Writes down what was counted so far; if that fails it is kept for the next time. Returns how many keys there were. */
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

export type ReplayBook = ReturnType<typeof replayBook>;
