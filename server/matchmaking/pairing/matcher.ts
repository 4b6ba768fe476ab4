import type { Work } from "../../kernel/delivery/liveness.ts";
import type { Faults } from "../../kernel/life/fault.ts";
import { type Loop, loop } from "../../kernel/life/loop.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { MatchmakingSettings } from "../config.ts";
import type { ModeStore } from "../mode_store.ts";
import { highestRating } from "../tickets/rating.ts";
import type { PairingMetrics } from "./pairing_metrics.ts";
import type { Paired } from "./pairing_store.ts";

export interface MatcherOptions {
  readonly store: ModeStore;
  readonly tuning: MatchmakingSettings["matcher"];
  readonly counters: PairingMetrics;
  readonly work: Work;
  readonly faults: Faults;
  readonly isPaused: () => boolean;
  /** Called when there are matches to publish. */
  readonly paired: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How many tickets one script of the strategy rating looks at, from the front and from where the walk is. Measured: 100 without a pair take 1.5 ms. */
export const looks = 100;

/** Pairs the tickets of a mode, by its strategy. */
export function matcher({ store, tuning, counters, work, faults, isPaused, paired, log, metrics }: MatcherOptions): Loop {
  const { name, strategy } = store.mode;
  let from = 0;

  async function pairByRating(): Promise<Paired> {
    const { window, opens, batch } = tuning;
    const made = await store.pairByRating(batch, { window, opens, range: highestRating, looks, from });
    from = made.from;
    return made;
  }

  /**
   * Returns more than 0 if there may be more to pair at once. A walk over players of whom nobody can be paired goes on after a rest, so that a deep
   * queue of those does not keep Redis busy.
   */
  async function runOnce(): Promise<number> {
    await faults.pass();
    if (isPaused()) return 0;
    const made = strategy === "fifo" ? await store.pairFifo(tuning.batch) : await pairByRating();
    faults.at("matchmaking.paired");
    counters.paired(name, made);
    const { waits, expired, invalid } = made;
    if (waits.length > 0) paired();
    const done = waits.length / 2 + expired + invalid;
    work.did(done);
    return done;
  }

  return loop({
    name: `matcher.${name}`,
    runOnce,
    full: 1,
    interval: tuning.interval,
    log,
    metrics,
  });
}
