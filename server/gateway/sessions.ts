import { sha256 } from "../kernel/auth.ts";
import { type Redis, readScript } from "../kernel/redis.ts";

const openScript = readScript(new URL("./session_open.lua", import.meta.url));
const readOne = readScript(new URL("./session_read.lua", import.meta.url));

export interface Session {
  /** The key in Redis: a hash, so that who reads Redis holds no cookie. */
  readonly key: string;
  readonly userId: string;
}

export interface OpenSession {
  readonly ends_unused_at: string;
  readonly ends_at: string;
}

const idPattern = /^[\w-]{43}$/;
const keyOf = (id: string) => `kenri:session:${sha256(id).toString("base64url")}`;
const sessionsOf = (userId: string) => `kenri:{user:${userId}}:sessions`;

export interface SessionLimits {
  readonly idle: number;
  readonly absolute: number;
  /** One more ends the oldest of the user. */
  readonly perUser?: number;
}

/** Sessions live in Redis alone; the browser holds a random id and nothing else. */
export function sessions(redis: Redis, { idle, absolute, perUser = 20 }: SessionLimits) {
  return {
    /** A new session with a new id, to be given to the browser. */
    async open(userId: string): Promise<string> {
      const id = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      await redis.run<number>(openScript, [keyOf(id), sessionsOf(userId)], [JSON.stringify({ userId }), idle, absolute, perUser]);
      return id;
    },

    async read(id: string): Promise<Session | undefined> {
      if (!idPattern.test(id)) return undefined;
      const data = await redis.run<string | null>(readOne, [keyOf(id)], [idle]);
      return data ? { key: keyOf(id), userId: (JSON.parse(data) as { userId: string }).userId } : undefined;
    },

    /** Whether a session is still there; does not keep it alive. */
    async exists({ key }: Session): Promise<boolean> {
      return (await redis.send<number>("EXISTS", key)) === 1;
    },

    async end({ key, userId }: Session): Promise<void> {
      await redis.send("DEL", key);
      await redis.send("ZREM", sessionsOf(userId), key);
    },

    /** The sessions of a user that have not ended, and when each ends if nobody uses it, and at the latest. The ids stay where they are. */
    async list(userId: string): Promise<OpenSession[]> {
      const kept = await redis.send<[key: string, endsAt: number][]>("ZRANGE", sessionsOf(userId), 0, -1, "WITHSCORES");
      const ends = await Promise.all(kept.map(([key]) => redis.send<number>("PEXPIRETIME", key)));
      return kept.flatMap(([, endsAt], index) => {
        const unused = ends[index]!; // negative: it has ended
        return unused < 0 ? [] : [{ ends_unused_at: new Date(unused).toISOString(), ends_at: new Date(endsAt).toISOString() }];
      });
    },

    /** Ends every session of a user, on every device. Says how many there were. */
    async endAll(userId: string): Promise<number> {
      const keys = await redis.send<string[]>("ZRANGE", sessionsOf(userId), 0, -1);
      const ended = await Promise.all(keys.map(key => redis.send<number>("DEL", key)));
      if (keys.length > 0) await redis.send("ZREM", sessionsOf(userId), ...keys);
      return ended.reduce((sum, one) => sum + one, 0);
    },
  };
}

export type Sessions = ReturnType<typeof sessions>;
