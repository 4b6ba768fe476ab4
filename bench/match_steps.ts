import { milliseconds } from "../server/kernel/config/config.ts";
import { matchmakingSettings } from "../server/matchmaking/config.ts";
import type { ModeStore } from "../server/matchmaking/mode_store.ts";
import { looks } from "../server/matchmaking/pairing/matcher.ts";
import type { Paired } from "../server/matchmaking/pairing/pairing_store.ts";
import { highestRating as range } from "../server/matchmaking/tickets/rating.ts";
import { seeded } from "../server/testing/random.ts";
import { forEach, joinStore } from "../server/testing/tickets.ts";

const { batch: batchSetting, window: windowSetting, opens: opensSetting } = matchmakingSettings.matcher;
export const batch = Number(batchSetting.preset);
const walk = { window: Number(windowSetting.preset), opens: milliseconds(opensSetting.preset!), range, looks };

/** The steps of a match, without the service: the scripts, called directly. */
export function matchSteps(store: ModeStore) {
  const isByRating = store.mode.strategy === "rating";
  const random = seeded(1);
  let joins = 0;
  let from = 0;

  const join = () => joinStore(store, `player-${joins++}`, { rating: isByRating ? random(range + 1) : undefined });

  async function pair(): Promise<Paired> {
    if (!isByRating) return await store.pairFifo(batch);
    const made = await store.pairByRating(batch, { ...walk, from });
    from = made.from;
    return made;
  }

  return {
    join,
    pair,
    async fill(count: number): Promise<void> {
      await forEach(Array.from({ length: count }), async () => void (await join()));
    },
    /** The time of a script that makes a batch of pairs. Afterwards new tickets take the places of the paired ones. */
    async pairTime(): Promise<number> {
      const since = performance.now();
      const { waits } = await pair();
      const took = performance.now() - since;
      if (waits.length !== 2 * batch) throw new Error(`${waits.length / 2} pairs instead of ${batch}`);
      await forEach(waits, join);
      return took;
    },
    /** Pairs until nobody is left, without a pause. Returns pairs per second. */
    async drainRate(): Promise<number> {
      const since = performance.now();
      let pairs = 0;
      for (let made = await pair(); made.waits.length > 0; made = await pair()) pairs += made.waits.length / 2;
      return (pairs * 1000) / (performance.now() - since);
    },
  };
}
