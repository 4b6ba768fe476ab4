import type { Redis } from "../kernel/redis/redis.ts";
import { joinIdOf } from "../matchmaking/ids.ts";
import type { ModeStore } from "../matchmaking/mode_store.ts";
import { type MatchFacts, readFacts } from "../matchmaking/outbox/match_facts.ts";
import type { Join } from "../matchmaking/tickets/ticket_store.ts";

export const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

export interface TicketOptions {
  readonly key?: string;
  readonly digest?: string;
  readonly rating?: number | undefined;
}

/** A request to join as the API gives it to the store. */
export const joinOf = (
  mode: string,
  userId: string,
  { key = crypto.randomUUID(), digest = "d", rating = undefined }: TicketOptions = {},
): Join => ({ userId, joinId: joinIdOf(userId, mode, key), ticketId: Bun.randomUUIDv7(), digest, attributes: "{}", rating, traceparent });

/** Joins without the API. */
export const joinStore = (store: ModeStore, userId: string, options?: TicketOptions) =>
  store.join(joinOf(store.mode.name, userId, options));

// So many requests are under way at once that none reaches its deadline.
const atOnce = 500;

/** Calls `work` for each item, several at once, in the order of the items on one connection. */
export async function forEach<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let n = 0; n < items.length; n += atOnce) results.push(...(await Promise.all(items.slice(n, n + atOnce).map(work))));
  return results;
}

/** The clock of Redis, in milliseconds. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.send<[string, string]>("TIME");
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** A ticket as if it had joined at that time. */
export async function moveJoin(redis: Redis, store: ModeStore, ticketId: string, joinedAt: number): Promise<void> {
  const expiresAt = joinedAt + store.mode.ttl;
  await Promise.all([
    redis.send("HSET", store.key(`ticket:${ticketId}`), "joined_at", joinedAt, "expires_at", expiresAt),
    redis.send("ZADD", store.key("expiries"), expiresAt, ticketId),
  ]);
}

export interface PlannedMatch {
  readonly entry: string;
  readonly matchId: string;
  readonly facts: MatchFacts;
}

/** The matches that are not published yet, after this entry of the stream. */
export async function matchesOf(redis: Redis, store: ModeStore, after = "0-0"): Promise<PlannedMatch[]> {
  const entries = await redis.send<[string, string[]][]>("XRANGE", store.key("events"), `(${after}`, "+");
  return entries.map(([entry, flat]) => {
    const fields = new Map(Array.from({ length: flat.length / 2 }, (_, n) => [flat[2 * n]!, flat[2 * n + 1]!]));
    return { entry, matchId: fields.get("match_id")!, facts: readFacts(fields.get("event")!) };
  });
}
