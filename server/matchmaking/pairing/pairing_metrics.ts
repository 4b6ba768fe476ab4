import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { ModeStore } from "../mode_store.ts";
import type { Paired } from "./pairing_store.ts";

/** What the matcher counts, and how the queues are. */
export function pairingMetrics(metrics: Metrics, modes: readonly string[]) {
  const seconds = metrics.histogram("matchmaking_time_to_match_seconds", "How long a matched player has waited.", ["mode"]);
  const matches = metrics.counter("matchmaking_matches_total", "Matches made.", ["mode"]);
  // Rates see only what comes after the first value.
  for (const mode of modes) seconds.zero({ mode });
  const depth = metrics.gauge("matchmaking_queue_depth", "Tickets that wait.", ["mode"]);
  const oldest = metrics.gauge("matchmaking_oldest_wait_seconds", "How long the longest waiting ticket has waited.", ["mode"]);
  return {
    paired(mode: string, { waits }: Paired): void {
      for (const wait of waits) seconds.observe({ mode }, wait / 1000);
      matches.inc({ mode }, waits.length / 2);
    },
    async look(store: ModeStore): Promise<void> {
      const { now, waiting, oldestJoinedAt } = await store.depth();
      depth.set({ mode: store.mode.name }, waiting);
      oldest.set({ mode: store.mode.name }, oldestJoinedAt === null ? 0 : (now - oldestJoinedAt) / 1000);
    },
  };
}

export type PairingMetrics = ReturnType<typeof pairingMetrics>;
