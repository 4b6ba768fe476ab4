import type { Redis } from "../kernel/redis/redis.ts";
import { type ModeStore, modeStore } from "../matchmaking/mode_store.ts";
import type { Paired } from "../matchmaking/pairing/pairing_store.ts";
import { highestRating as range } from "../matchmaking/tickets/rating.ts";
import { forEach, joinStore, matchesOf, moveJoin, redisTime } from "./tickets.ts";

export interface RatedPlayer {
  readonly rating: number;
  /** How long the player has waited, in milliseconds. */
  readonly waited: number;
}

export interface RatedTicket {
  readonly ticketId: string;
  readonly userId: string;
  readonly rating: number;
  joinedAt: number;
}

export const distance = (a: RatedTicket, b: RatedTicket): number => Math.abs(a.rating - b.rating);

export const window = 100;
export const opens = 20_000;

/** The window of a ticket at a time, as documented. */
export const windowAt = ({ joinedAt }: RatedTicket, at: number): number =>
  Math.min(range, window + ((range - window) * (at - joinedAt)) / opens);

/** A queue of the strategy `rating` with planted tickets. */
export interface RatingScene {
  readonly store: ModeStore;
  readonly tickets: ReadonlyMap<string, RatedTicket>;
  /** They join in order of their wait, the longest first. */
  plant(players: readonly RatedPlayer[]): Promise<RatedTicket[]>;
  /** As if so much time had gone by. */
  age(milliseconds: number): Promise<void>;
  /** Tickets that wait, in the order of joining. */
  waiting(): Promise<RatedTicket[]>;
  pair(most: number, looks: number, from: number): Promise<Paired>;
  /** The matches since the last call. */
  newMatches(): Promise<{ readonly at: number; readonly pair: readonly [RatedTicket, RatedTicket] }[]>;
}

export function ratingScene(redis: Redis, ttl = 10 * opens): RatingScene {
  const prefix = `kenri:matchmaking:${crypto.randomUUID()}`;
  const store = modeStore(redis, prefix, { name: "rank", strategy: "rating", ttl }, 3_600_000);
  const tickets = new Map<string, RatedTicket>();
  let seen = "0-0";
  let joins = 0;

  async function waiting(): Promise<RatedTicket[]> {
    const ids = await redis.send<string[]>("ZRANGE", store.key("queue"), 0, -1);
    return ids.map(id => tickets.get(id)!);
  }

  return {
    store,
    tickets,
    async plant(players) {
      const now = await redisTime(redis);
      const inOrder = players.toSorted((a, b) => b.waited - a.waited).map(player => ({ ...player, userId: `u${joins++}` }));
      const planted = await forEach(inOrder, async ({ userId, rating, waited }) => {
        const { ticketId } = await joinStore(store, userId, { rating });
        const ticket = { ticketId, userId, rating, joinedAt: now - waited };
        await moveJoin(redis, store, ticketId, ticket.joinedAt);
        return ticket;
      });
      for (const ticket of planted) tickets.set(ticket.ticketId, ticket);
      return planted;
    },
    async age(milliseconds) {
      await forEach(await waiting(), ticket => {
        ticket.joinedAt -= milliseconds;
        return moveJoin(redis, store, ticket.ticketId, ticket.joinedAt);
      });
    },
    waiting,
    pair: (most, looks, from) => store.pairByRating(most, { window, range, opens, looks, from }),
    async newMatches() {
      const matches = await matchesOf(redis, store, seen);
      seen = matches.at(-1)?.entry ?? seen;
      return matches.map(({ facts: { paired_at, players } }) => ({
        at: paired_at,
        pair: [tickets.get(players[0]!.ticket_id)!, tickets.get(players[1]!.ticket_id)!] as const,
      }));
    },
  };
}
