import { Problem } from "../../kernel/http/problem.ts";
import { pause } from "../../kernel/life/deadline.ts";
import { type Redis, RedisAway, readScript } from "../../kernel/redis/redis.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";

const script = readScript(new URL("./limit.lua", import.meta.url));
const minute = 60_000;
// Within this time each limit is counted. A user's is short: what all their sessions may ask at once is a sixth of what they may in a minute.
const windows: Readonly<Record<LimitName, number>> = {
  session: minute,
  user: 10_000,
  address: minute,
  "sign-in": minute,
  open: minute,
  keys: minute,
};
// So many buckets are kept here while Redis is away; the oldest make room. Who is that many may have a full bucket again.
const mostLocal = 10_000;

// So many refusals are held back at a time; the rest goes out at once.
const mostHeld = 1000;

export type LimitName = "session" | "user" | "address" | "sign-in" | "open" | "keys";
/** What costs next to nothing to answer is counted here and not in Redis: it must be answered while Redis is away, and at once. */
const countedHere: ReadonlySet<LimitName> = new Set(["open", "keys"]);

/** What is left after a request: told to every client, so that it can pace itself. */
interface Level {
  /** Whether there was a token. It is taken only if all buckets of the request had one. */
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

/** A session's bucket lies beside its user's: one script takes of both, and a cluster keeps them on one node. */
const bucketsOf = (name: LimitName, who: string, userId: string | undefined): Bucket[] =>
  userId === undefined
    ? [{ name, key: `kenri:limit:{${name}:${who}}` }]
    : [
        { name, key: `kenri:{user:${userId}}:limit:${name}:${who}` },
        { name: "user", key: `kenri:{user:${userId}}:limit` },
      ];

/**
 * Counts requests in token buckets that all gateways share; while Redis is away, in bounded ones of this process. A refusal is held back for
 * `delay` milliseconds: a client that asks again without a pause would otherwise cost everybody else more than it was allowed to.
 */
export function limits(redis: Redis, perMinute: Readonly<Record<LimitName, number>>, metrics: Metrics, delay = 0) {
  const refused = metrics.counter("gateway_limited_total", "Requests over a limit.", ["limit"]);
  const local = localBuckets();
  const here = localBuckets();
  const sizeOf = (name: LimitName): Size => ({
    holds: Math.max(1, Math.ceil((perMinute[name] * windows[name]) / minute)),
    fill: windows[name],
  });
  let held = 0;

  async function holdBack(): Promise<void> {
    if (delay === 0 || held >= mostHeld) return;
    held++;
    await pause(delay).finally(() => held--);
  }

  async function levels(buckets: readonly Bucket[]): Promise<Level[]> {
    const sizes = buckets.map(({ name }) => sizeOf(name));
    const keys = buckets.map(({ key }) => key);
    if (buckets.every(({ name }) => countedHere.has(name))) return here(keys, sizes);
    try {
      const found = await redis.run<[had: number, left: number, nextIn: number][]>(
        script,
        keys,
        sizes.flatMap(({ holds, fill }) => [holds, fill]),
      );
      return found.map(([had, left, nextIn]) => ({ had: had === 1, left, nextIn }));
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
      return local(keys, sizes);
    }
  }

  /**
   * Takes one of this caller's requests, and of their user's if they are signed in, and gives the headers that tell of it; throws 429 when there
   * is none left.
   */
  return async function take(name: LimitName, who: string, userId?: string): Promise<Record<string, string>> {
    const buckets = bucketsOf(name, who, userId);
    const found = (await levels(buckets)).map((level, n) => {
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
    await holdBack();
    const whose = empty.name === "user" ? " of one user" : "";
    throw new Problem(429, "RATE_LIMITED", `over the limit of ${empty.most} requests a minute${whose}; try again in ${empty.seconds} s`, {
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
