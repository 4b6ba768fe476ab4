import type { JWK } from "jose";
import { type Redis, RedisAway } from "../../kernel/redis/redis.ts";
import type { Integrity } from "../edge/integrity.ts";

/** The public keys of all gateways, gathered in Redis. Every entry is signed by the gateway that wrote it and ends at a time of Redis's clock. */
export interface Board {
  /** Writes a key, or writes it again. True if it was not there. */
  announce(jwk: JWK): Promise<boolean>;
  withdraw(kids: readonly string[]): Promise<void>;
  /** The keys that gateways announced lately. Everything else on the board is refused, and only that entry. */
  read(): Promise<readonly JWK[]>;
}

export const boardKey = "kenri:gateway-board";
const placeOf = (kid: string) => `${boardKey}:${kid}`;

/** `keptFor`: how long an entry is valid after it was written. */
export function createBoard(redis: Redis, integrity: Integrity, keptFor: number): Board {
  const redisTime = async () => Number((await redis.send<string[]>("TIME"))[0]) * 1000;

  /** Somebody stored something else under the board's name: it is made anew. */
  async function onBoard<T>(work: () => Promise<T>): Promise<T> {
    return work().catch(async error => {
      if (error instanceof RedisAway || !String((error as Error).message).startsWith("WRONGTYPE")) throw error;
      integrity.refuse("gateway key", "malformed", boardKey, "not a hash");
      await redis.send("DEL", boardKey);
      return work();
    });
  }

  /** The key of an entry; nothing if no gateway wrote it, or its time is over. */
  function judge(kid: string, entry: string, now: number): JWK | "expired" | undefined {
    const text = integrity.verify("gateway key", placeOf(kid), entry);
    if (text === undefined) return undefined;
    const { jwk, until } = JSON.parse(text) as { jwk: JWK; until: number }; // it is signed: a gateway wrote it
    if (until > now) return jwk;
    integrity.refuse("gateway key", "expired", placeOf(kid), entry);
    return "expired";
  }

  return {
    announce: jwk =>
      onBoard(async () => {
        const entry = { jwk, until: (await redisTime()) + keptFor };
        const added = await redis.send<number>("HSET", boardKey, jwk.kid!, integrity.sign(placeOf(jwk.kid!), JSON.stringify(entry)));
        await redis.send("PEXPIRE", boardKey, keptFor);
        return added === 1;
      }),

    async withdraw(kids) {
      if (kids.length > 0) await redis.send("HDEL", boardKey, ...kids);
    },

    read: () =>
      onBoard(async () => {
        const [now, entries] = await Promise.all([redisTime(), redis.send<Record<string, string>>("HGETALL", boardKey)]);
        const judged = Object.entries(entries).map(([kid, entry]) => ({ kid, found: judge(kid, entry, now) }));
        const expired = judged.filter(({ found }) => found === "expired").map(({ kid }) => kid);
        if (expired.length > 0) await redis.send("HDEL", boardKey, ...expired);
        return judged.flatMap(({ found }) => (typeof found === "object" ? [found] : []));
      }),
  };
}
