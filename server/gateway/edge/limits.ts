import { Problem } from "../../kernel/http/problem.ts";
import { pause } from "../../kernel/life/deadline.ts";
import { type Redis, RedisAway, readScript } from "../../kernel/redis/redis.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";

const script = readScript(new URL("./limit.lua", import.meta.url));
const minute = 60_000;
// The window of each limit. A user's is short: all their sessions together may send a sixth of the limit per minute at once.
const windows: Readonly<Record<LimitName, number>> = {
  session: minute,
  user: 10_000,
  matchmaking: minute,
  address: minute,
  "sign-in": minute,
  open: minute,
  keys: minute,
};
// The most buckets in memory while Redis is away. The oldest is dropped and starts full again.
const mostLocal = 10_000;

// The most refusals that are delayed at a time; others are sent at once.
const mostDelayed = 1000;

/** Limits of one user for costly requests, beside the one for all requests. */
export type UserLimit = "matchmaking";
export type LimitName = "session" | "user" | UserLimit | "address" | "sign-in" | "open" | "keys";
/** Limits of cheap routes are counted in this process: they must work at once and while Redis is away. */
const countedHere: ReadonlySet<LimitName> = new Set(["open", "keys"]);

/** The state of a bucket after a request. Response headers report it, so that clients can pace themselves. */
interface Level {
  /** Whether the bucket had a token. Tokens are taken only if all buckets of the request had one. */
  readonly had: boolean;
  readonly left: number;
  readonly nextIn: number;
}

interface Bucket {
  readonly name: LimitName;
  readonly key: string;
}

interface Size {
  readonly holds: number;
  /** Milliseconds to fill it from empty. */
  readonly fill: number;
}

// For the detail of a refusal.
const forWhat: Readonly<Partial<Record<LimitName, string>>> = { user: " of one user", matchmaking: " of one user to join a queue" };

/** The buckets of a session and its user share a hash tag, so that one script can use all in a cluster. */
const bucketsOf = (name: LimitName, who: string, userId: string | undefined, costly: UserLimit | undefined): Bucket[] =>
  userId === undefined
    ? [{ name, key: `kenri:limit:{${name}:${who}}` }]
    : [
        { name, key: `kenri:{user:${userId}}:limit:${name}:${who}` },
        { name: "user", key: `kenri:{user:${userId}}:limit` },
        ...(costly ? [{ name: costly, key: `kenri:{user:${userId}}:limit:${costly}` }] : []),
      ];

/** The keys of all buckets of a user, with those of these sessions. */
export const userBuckets = (userId: string, sessions: readonly string[]): string[] => [
  ...new Set(["", ...sessions].flatMap(who => bucketsOf("session", who, userId, "matchmaking").map(({ key }) => key))),
];

/**
 * Limits requests with token buckets that all gateways share in Redis; while Redis is away, with buckets in this process. A refusal is delayed
 * by `delay` milliseconds, so that a client that repeats refused requests without a pause costs others less.
 */
export function limits(redis: Redis, perMinute: Readonly<Record<LimitName, number>>, metrics: Metrics, delay = 0) {
  const refused = metrics.counter("gateway_limited_total", "Requests over a limit.", ["limit"]);
  const local = localBuckets();
  const here = localBuckets();
  const sizeOf = (name: LimitName): Size => ({
    holds: Math.max(1, Math.ceil((perMinute[name] * windows[name]) / minute)),
    fill: windows[name],
  });
  let delayed = 0;

  async function delayRefusal(): Promise<void> {
    if (delay === 0 || delayed >= mostDelayed) return;
    delayed++;
    await pause(delay).finally(() => delayed--);
  }

  async function levels(buckets: readonly Bucket[], traceparent: string | undefined): Promise<Level[]> {
    const sizes = buckets.map(({ name }) => sizeOf(name));
    const keys = buckets.map(({ key }) => key);
    if (buckets.every(({ name }) => countedHere.has(name))) return here(keys, sizes);
    try {
      const found = await redis.run<[had: number, left: number, nextIn: number][]>(
        script,
        keys,
        sizes.flatMap(({ holds, fill }) => [holds, fill]),
        traceparent,
      );
      return found.map(([had, left, nextIn]) => ({ had: had === 1, left, nextIn }));
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
      return local(keys, sizes);
    }
  }

  /**
   * Takes a token of this caller's bucket, and of their user's if they are signed in, and of the user's bucket for costly requests. Returns the
   * rate limit headers; throws 429 if a bucket is empty. `traceparent`: the span of the request.
   */
  return async function take(
    name: LimitName,
    who: string,
    userId?: string,
    costly?: UserLimit,
    traceparent?: string,
  ): Promise<Record<string, string>> {
    const buckets = bucketsOf(name, who, userId, costly);
    const found = (await levels(buckets, traceparent)).map((level, n) => {
      const { name } = buckets[n]!;
      const { holds, fill } = sizeOf(name);
      return { ...level, name, most: perMinute[name], holds, fill, seconds: Math.max(1, Math.ceil(level.nextIn / 1000)) };
    });
    const headers = {
      "ratelimit-policy": found.map(({ name, holds, fill }) => `"${name}";q=${holds};w=${fill / 1000}`).join(", "),
      ratelimit: found.map(({ name, left, seconds }) => `"${name}";r=${left};t=${seconds}`).join(", "),
    };
    const empty = found.filter(({ had }) => !had).sort((a, b) => b.seconds - a.seconds)[0];
    if (!empty) return headers;
    refused.inc({ limit: empty.name });
    await delayRefusal();
    const what = forWhat[empty.name] ?? "";
    throw new Problem(429, "RATE_LIMITED", `over the limit of ${empty.most} requests a minute${what}; try again in ${empty.seconds} s`, {
      headers: { ...headers, "retry-after": String(empty.seconds) },
    });
  };
}

export type TakeLimit = ReturnType<typeof limits>;

/** The same buckets as in limit.lua, in memory. */
export function localBuckets(now: () => number = performance.now.bind(performance)) {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function filled(bucket: string, { holds, fill }: Size): number {
    const known = buckets.get(bucket) ?? { tokens: holds, at: now() };
    return Math.min(holds, known.tokens + ((now() - known.at) * holds) / fill);
  }
  function keep(bucket: string, tokens: number): void {
    buckets.delete(bucket);
    if (buckets.size >= mostLocal) buckets.delete(buckets.keys().next().value!);
    buckets.set(bucket, { tokens, at: now() });
  }

  return (keys: readonly string[], sizes: readonly Size[]): Level[] => {
    const before = keys.map((key, n) => filled(key, sizes[n]!));
    const take = before.every(tokens => tokens >= 1) ? 1 : 0;
    return before.map((tokens, n) => {
      const left = tokens - take;
      const { holds, fill } = sizes[n]!;
      keep(keys[n]!, left);
      return { had: tokens >= 1, left: Math.floor(left), nextIn: Math.ceil(((1 - (left % 1)) * fill) / holds) };
    });
  };
}
