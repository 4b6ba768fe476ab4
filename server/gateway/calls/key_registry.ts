import type { JWK } from "jose";
import { type Redis, RedisAway } from "../../kernel/redis/redis.ts";
import type { Integrity } from "../edge/integrity.ts";

/** The public keys of all gateways, in a hash in Redis. Every entry is signed by the gateway that wrote it and expires by the clock of Redis. */
export interface KeyRegistry {
  /** Writes a key, or extends it. True if it was not there. */
  announce(jwk: JWK): Promise<boolean>;
  withdraw(kids: readonly string[]): Promise<void>;
  /** The valid keys. Each invalid entry is refused on its own. */
  read(): Promise<readonly JWK[]>;
}

export const registryKey = "kenri:gateway-board";
const entryKeyOf = (kid: string) => `${registryKey}:${kid}`;

/** `validFor`: how long an entry is valid after it was written. */
export function createKeyRegistry(redis: Redis, integrity: Integrity, validFor: number): KeyRegistry {
  const redisTime = async () => Number((await redis.send<string[]>("TIME"))[0]) * 1000;

  /** If the Redis key holds another type, it is deleted and the work runs again. */
  async function onRegistry<T>(work: () => Promise<T>): Promise<T> {
    return work().catch(async error => {
      if (error instanceof RedisAway || !String((error as Error).message).startsWith("WRONGTYPE")) throw error;
      integrity.refuse("gateway key", "malformed", registryKey, "not a hash");
      await redis.send("DEL", registryKey);
      return work();
    });
  }

  /** The key of an entry; undefined if no gateway signed it. */
  function verify(kid: string, entry: string, now: number): JWK | "expired" | undefined {
    const text = integrity.verify("gateway key", entryKeyOf(kid), entry);
    if (text === undefined) return undefined;
    const { jwk, until } = JSON.parse(text) as { jwk: JWK; until: number }; // signed, so a gateway wrote it
    if (until > now) return jwk;
    integrity.refuse("gateway key", "expired", entryKeyOf(kid), entry);
    return "expired";
  }

  return {
    announce: jwk =>
      onRegistry(async () => {
        const entry = { jwk, until: (await redisTime()) + validFor };
        const added = await redis.send<number>("HSET", registryKey, jwk.kid!, integrity.sign(entryKeyOf(jwk.kid!), JSON.stringify(entry)));
        await redis.send("PEXPIRE", registryKey, validFor);
        return added === 1;
      }),

    async withdraw(kids) {
      if (kids.length > 0) await redis.send("HDEL", registryKey, ...kids);
    },

    read: () =>
      onRegistry(async () => {
        const [now, entries] = await Promise.all([redisTime(), redis.send<Record<string, string>>("HGETALL", registryKey)]);
        const verified = Object.entries(entries).map(([kid, entry]) => ({ kid, found: verify(kid, entry, now) }));
        const expired = verified.filter(({ found }) => found === "expired").map(({ kid }) => kid);
        if (expired.length > 0) await redis.send("HDEL", registryKey, ...expired);
        return verified.flatMap(({ found }) => (typeof found === "object" ? [found] : []));
      }),
  };
}
