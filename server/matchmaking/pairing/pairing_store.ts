import type { EndedTickets } from "../ended_tickets.ts";
import type { ModeRedis } from "../mode_scripts.ts";

/** How a walk over the queue by rating goes. */
export interface RatingWalk {
  readonly window: number;
  readonly range: number;
  readonly opens: number;
  readonly looks: number;
  /** What the call before has returned; 0 for a new walk. */
  readonly from: number;
}

export interface Paired extends EndedTickets {
  /** How long each matched player has waited, in milliseconds. */
  readonly waits: readonly number[];
  /** Where the next call of a walk goes on; 0: the walk has ended. */
  readonly from: number;
}

const ids = (pairs: number) => Array.from({ length: pairs * 2 }, () => Bun.randomUUIDv7());

/** Pairing in a mode. A method is the script of the same name, which documents it. */
export const pairingStore = ({ keep, run, noteEnded }: ModeRedis) => ({
  async pairFifo(most: number): Promise<Paired> {
    const [waits, expired, invalid] = await run<[number[], number, number]>("pair_fifo", [keep, ...ids(most)]);
    noteEnded(expired, invalid);
    return { waits, expired, invalid, from: 0 };
  },

  async pairByRating(most: number, { window, range, opens, looks, from }: RatingWalk): Promise<Paired> {
    const args = [keep, window, range, opens, looks, from, ...ids(most)];
    const [waits, expired, invalid, next] = await run<[number[], number, number, number]>("pair_rating", args);
    noteEnded(expired, invalid);
    return { waits, expired, invalid, from: next };
  },

  async expire(most: number): Promise<EndedTickets> {
    const [expired, invalid] = await run<[number, number]>("expire", [keep, most]);
    noteEnded(expired, invalid);
    return { expired, invalid };
  },
});
