import type { Depth } from "../mode_store.ts";
import type { Strategy } from "../modes.ts";

/**
 * For how long two players wait whom the strategy pairs at once, in milliseconds; null if there are none. By rating the first of the queue is
 * paired with anybody when its window has opened wholly, after `opens`.
 */
export function unpairedFor({ now, oldestJoinedAt, secondJoinedAt }: Depth, strategy: Strategy, opens: number): number | null {
  if (oldestJoinedAt === null || secondJoinedAt === null) return null;
  const since = strategy === "fifo" ? secondJoinedAt : Math.max(secondJoinedAt, oldestJoinedAt + opens);
  return now < since ? null : now - since;
}
