import { sha256 } from "../../kernel/http/auth.ts";
import { type Redis, readScript } from "../../kernel/redis/redis.ts";
import type { Integrity } from "./integrity.ts";
import { userBuckets } from "./limits.ts";

const openScript = readScript(new URL("./session_open.lua", import.meta.url));
const readOne = readScript(new URL("./session_read.lua", import.meta.url));

export interface Session {
  /** The key in Redis: a hash of the id, so that a reader of Redis cannot make a valid cookie. */
  readonly key: string;
  readonly userId: string;
}

export interface OpenSession {
  readonly ends_unused_at: string;
  readonly ends_at: string;
}

const idPattern = /^[\w-]{43}$/;
const keyOf = (id: string) => `kenri:signed-session:${sha256(id).toString("base64url")}`;
const sessionsOf = (userId: string) => `kenri:{user:${userId}}:sessions`;

export interface SessionLimits {
  readonly idle: number;
  readonly absolute: number;
  /** The most sessions of a user. One more ends the oldest. */
  readonly perUser?: number;
}

/**
 * Sessions are stored in Redis only; the browser holds a random id and nothing else. A record is signed for its own key: an attacker who can
 * write to Redis can end a session, but cannot create one.
 */
export function createSessions(redis: Redis, integrity: Integrity, { idle, absolute, perUser = 20 }: SessionLimits) {
  /** The user of a session, if a gateway signed it and it is not an old record that was written again. */
  function userOf(key: string, data: string, now: number): string | undefined {
    const text = integrity.verify("session", key, data);
    if (text === undefined) return undefined;
    const { userId, openedAt } = JSON.parse(text) as { userId: string; openedAt: number };
    return now - openedAt <= absolute + 1000 ? userId : undefined;
  }

  /**
   * Ends the oldest sessions of a user who has too many, and removes ended ones from the index. Not a script: in a cluster the sessions of a
   * user are on different nodes. Concurrent runs each keep the newest sessions they see, so the newest of all stay; the last run sees all.
   */
  async function endOldest(userId: string): Promise<void> {
    const keys = await redis.send<string[]>("ZRANGE", sessionsOf(userId), 0, -1);
    const known = await Promise.all(
      keys.map(async key => {
        const [data, openedAt] = await redis.send<(string | null)[]>("HMGET", key, "data", "opened_at");
        // Sessions of an older version have no opened_at; they are older.
        return { key, hasEnded: data === null, openedAt: Number(openedAt ?? 0) };
      }),
    );
    const live = known.filter(one => !one.hasEnded).sort((a, b) => a.openedAt - b.openedAt);
    const surplus = live.slice(0, Math.max(0, live.length - perUser));
    await Promise.all(surplus.map(({ key }) => redis.send("DEL", key)));
    const over = [...known.filter(one => one.hasEnded), ...surplus].map(({ key }) => key);
    if (over.length > 0) await redis.send("ZREM", sessionsOf(userId), ...over);
  }

  return {
    /** Opens a session and returns its new id, for the cookie. */
    async open(userId: string): Promise<string> {
      const id = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      const openedAt = Number((await redis.send<string[]>("TIME"))[0]) * 1000;
      const data = integrity.sign(keyOf(id), JSON.stringify({ userId, openedAt }));
      const endsAt = await redis.run<number>(openScript, [keyOf(id)], [data, idle, absolute]);
      await redis.send("ZADD", sessionsOf(userId), endsAt, keyOf(id));
      // The index lives as long as its longest session, also after the absolute lifetime was set shorter.
      await redis.send("PEXPIREAT", sessionsOf(userId), endsAt, "NX");
      await redis.send("PEXPIREAT", sessionsOf(userId), endsAt, "GT");
      await endOldest(userId);
      return id;
    },

    /** `traceparent`: the span of the request. */
    async read(id: string, traceparent?: string): Promise<Session | undefined> {
      if (!idPattern.test(id)) return undefined;
      const found = await redis.run<[data: string, now: number] | null>(readOne, [keyOf(id)], [idle], traceparent);
      const userId = found ? userOf(keyOf(id), ...found) : undefined;
      return userId === undefined ? undefined : { key: keyOf(id), userId };
    },

    /** Whether a session still exists. Does not extend it. */
    async exists({ key }: Session): Promise<boolean> {
      return (await redis.send<number>("EXISTS", key)) === 1;
    },

    async end({ key, userId }: Session): Promise<void> {
      await redis.send("DEL", key);
      await redis.send("ZREM", sessionsOf(userId), key);
    },

    /** The open sessions of a user, without their ids: when each ends if it is not used, and when it ends at the latest. */
    async list(userId: string): Promise<OpenSession[]> {
      const kept = await redis.send<[key: string, endsAt: number][]>("ZRANGE", sessionsOf(userId), 0, -1, "WITHSCORES");
      const ends = await Promise.all(kept.map(([key]) => redis.send<number>("PEXPIRETIME", key)));
      return kept.flatMap(([, endsAt], index) => {
        const unused = ends[index]!; // negative: it has ended
        return unused < 0 ? [] : [{ ends_unused_at: new Date(unused).toISOString(), ends_at: new Date(endsAt).toISOString() }];
      });
    },

    /** Ends every session of an erased user, and deletes what is stored about them. */
    async forget(userId: string): Promise<void> {
      const keys = await redis.send<string[]>("ZRANGE", sessionsOf(userId), 0, -1);
      // One by one: in a cluster they are on different nodes. The index comes last: if this is interrupted, the next run finds the rest by it.
      for (const key of [...keys, ...userBuckets(userId, keys), sessionsOf(userId)]) await redis.send("DEL", key);
    },

    /** Ends every session of a user, on every device. Returns how many there were. */
    async endAll(userId: string): Promise<number> {
      const keys = await redis.send<string[]>("ZRANGE", sessionsOf(userId), 0, -1);
      const ended = await Promise.all(keys.map(key => redis.send<number>("DEL", key)));
      if (keys.length > 0) await redis.send("ZREM", sessionsOf(userId), ...keys);
      return ended.reduce((sum, one) => sum + one, 0);
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;
