import type { Metrics } from "../kernel/metrics.ts";
import { Problem } from "../kernel/problem.ts";
import { type Redis, RedisAway, readScript } from "../kernel/redis.ts";

const script = readScript(new URL("./limit.lua", import.meta.url));
const minute = 60_000;
// So many buckets are kept here while Redis is away; the oldest make room. Who is that many may have a full bucket again.
const mostLocal = 10_000;

export type LimitName = "session" | "address" | "sign-in" | "open" | "keys";
/** What costs next to nothing to answer is counted here and not in Redis: it must be answered while Redis is away, and at once. */
const countedHere: ReadonlySet<LimitName> = new Set(["open", "keys"]);

/** What is left after a request: told to every client, so that it can pace itself. */
interface Level {
  readonly taken: boolean;
  readonly left: number;
  readonly nextIn: number;
}

/** Counts requests in token buckets that all gateways share; while Redis is away, in bounded ones of this process. */
export function limits(redis: Redis, perMinute: Readonly<Record<LimitName, number>>, metrics: Metrics) {
  const refused = metrics.counter("gateway_limited_total", "Requests over a limit.", ["limit"]);
  const local = localBuckets();
  const here = localBuckets();

  async function level(name: LimitName, who: string): Promise<Level> {
    const bucket = `kenri:limit:{${name}:${who}}`;
    if (countedHere.has(name)) return here(bucket, perMinute[name]);
    try {
      const [taken, left, nextIn] = await redis.run<[number, number, number]>(script, [bucket], [perMinute[name], minute]);
      return { taken: taken === 1, left, nextIn };
    } catch (error) {
      if (!(error instanceof RedisAway)) throw error;
      return local(bucket, perMinute[name]);
    }
  }

  /** Takes one of this caller's requests and gives the headers that tell of it; throws 429 when there is none left. */
  return async function take(name: LimitName, who: string): Promise<Record<string, string>> {
    const { taken, left, nextIn } = await level(name, who);
    const seconds = Math.max(1, Math.ceil(nextIn / 1000));
    const headers = {
      "ratelimit-policy": `"${name}";q=${perMinute[name]};w=60`,
      ratelimit: `"${name}";r=${left};t=${seconds}`,
    };
    if (taken) return headers;
    refused.inc({ limit: name });
    throw new Problem(429, "RATE_LIMITED", `over the limit of ${perMinute[name]} requests a minute; try again in ${seconds} s`, {
      headers: { ...headers, "retry-after": String(seconds) },
    });
  };
}

export type TakeLimit = ReturnType<typeof limits>;

/** The same bucket as in limit.lua, in memory. */
export function localBuckets(now: () => number = performance.now.bind(performance)) {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (bucket: string, holds: number): Level => {
    const known = buckets.get(bucket) ?? { tokens: holds, at: now() };
    const filled = Math.min(holds, known.tokens + ((now() - known.at) * holds) / minute);
    const taken = filled >= 1;
    const tokens = filled - (taken ? 1 : 0);
    buckets.delete(bucket);
    if (buckets.size >= mostLocal) buckets.delete(buckets.keys().next().value!);
    buckets.set(bucket, { tokens, at: now() });
    return { taken, left: Math.floor(tokens), nextIn: Math.ceil(((1 - (tokens % 1)) * minute) / holds) };
  };
}
