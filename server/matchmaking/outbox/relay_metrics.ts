import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { ModeStore } from "../mode_store.ts";

/** What the relay counts, and how far it is behind. */
export function relayMetrics(metrics: Metrics) {
  const unpublished = metrics.gauge("match_unpublished", "Matches that are not published.", ["mode"]);
  const lag = metrics.gauge("match_relay_lag_seconds", "Age of the oldest match that is not published.", ["mode"]);
  const unannounced = metrics.gauge("match_unannounced", "Published matches that notification is not known to have announced.", ["mode"]);
  const oldest = metrics.gauge("match_oldest_unannounced_seconds", "Age of the oldest published match that is not known to be announced.", [
    "mode",
  ]);
  return {
    attempts: metrics.counter("match_publish_attempts_total", "Attempts to publish a match, by what became of them.", ["mode", "outcome"]),
    announced: metrics.counter("match_announced_total", "Matches that notification has announced to both players.", ["mode"]),
    resent: metrics.counter("match_missing_resent_total", "Matches sent again because notification lacked them.", ["mode"]),
    voided: metrics.counter(
      "match_void_total",
      "Matches that were void: a request to join was announced in another match, or the event cannot be read.",
      ["mode"],
    ),
    async look(store: ModeStore): Promise<void> {
      const depth = await store.depth();
      const mode = store.mode.name;
      const age = (since: number | null) => (since === null ? 0 : (depth.now - since) / 1000);
      unpublished.set({ mode }, depth.unpublished);
      lag.set({ mode }, age(depth.unpublishedSince));
      unannounced.set({ mode }, depth.unannounced);
      oldest.set({ mode }, age(depth.unannouncedSince));
    },
  };
}

export type RelayMetrics = ReturnType<typeof relayMetrics>;
