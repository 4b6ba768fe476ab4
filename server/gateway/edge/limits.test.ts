import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Problem } from "../../kernel/http/problem.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { testRedis } from "../../testing/redis.ts";
import { limits, localBuckets } from "./limits.ts";

let redis: Redis;
let other: Redis;
beforeAll(async () => {
  [redis, other] = await Promise.all([testRedis(), testRedis()]);
});
afterAll(() => Promise.all([redis.stop(), other.stop()]));

const perMinute = { session: 60, user: 90, matchmaking: 7, address: 5, "sign-in": 3, open: 4, keys: 6 };
const status = (asking: Promise<unknown>) =>
  asking.then(
    () => 200,
    error => (error as Problem).status,
  );
const anybody = () => crypto.randomUUID();

describe("a limit", () => {
  test("allows so many requests, reports what is left, and refuses the next with Retry-After", async () => {
    const take = limits(redis, perMinute, createMetrics());
    const who = anybody();
    expect(await take("sign-in", who)).toEqual({ "ratelimit-policy": '"sign-in";q=3;w=60', ratelimit: '"sign-in";r=2;t=20' });
    await take("sign-in", who);
    await take("sign-in", who);
    const refusal = (await take("sign-in", who).catch(error => error)) as Problem;
    expect([refusal.status, refusal.code]).toEqual([429, "RATE_LIMITED"]);
    expect(Number(refusal.options.headers?.["retry-after"])).toBeWithin(1, 21);
    expect(refusal.options.headers?.ratelimit).toMatch(/^"sign-in";r=0;t=\d+$/);
  });

  test("is shared by all gateways, also in a race", async () => {
    const gateways = [limits(redis, perMinute, createMetrics()), limits(other, perMinute, createMetrics())];
    const who = anybody();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => status(gateways[n % 2]!("address", who))));
    expect(answers.filter(answer => answer === 200)).toHaveLength(5);
    expect(answers.filter(answer => answer === 429)).toHaveLength(95);
  });

  test("is separate for each caller and each kind", async () => {
    const take = limits(redis, perMinute, createMetrics());
    const who = anybody();
    for (let n = 0; n < 3; n++) await take("sign-in", who);
    expect(await status(take("sign-in", who))).toBe(429);
    expect(await status(take("sign-in", anybody()))).toBe(200);
    expect(await status(take("address", who))).toBe(200);
  });

  test("of a user covers all their sessions, at all gateways; other users have their own", async () => {
    const few = { ...perMinute, session: 10, user: 90 };
    const gateways = [limits(redis, few, createMetrics()), limits(other, few, createMetrics())];
    const [user, ...sessions] = Array.from({ length: 51 }, anybody);
    const answers = await Promise.all(
      sessions.flatMap(session => [0, 1].map(gateway => status(gateways[gateway]!("session", session, user)))),
    );
    expect(answers.filter(answer => answer === 200)).toHaveLength(15); // a sixth of what is a minute's
    expect(answers.filter(answer => answer === 429)).toHaveLength(85);
    expect(await status(gateways[0]!("session", anybody(), anybody()))).toBe(200);
  });

  test("reports session and user, and a refusal by one takes nothing from the other", async () => {
    const take = limits(redis, { ...perMinute, session: 2, user: 18 }, createMetrics());
    const [user, first, second] = [anybody(), anybody(), anybody()];
    expect(await take("session", first, user)).toEqual({
      "ratelimit-policy": '"session";q=2;w=60, "user";q=3;w=10',
      ratelimit: '"session";r=1;t=30, "user";r=2;t=4',
    });
    await take("session", first, user);
    for (let n = 0; n < 5; n++) expect(await status(take("session", first, user))).toBe(429);
    await take("session", second, user);
    const refusal = (await take("session", second, user).catch(error => error)) as Problem;
    expect(refusal.message).toContain("over the limit of 18 requests a minute of one user");
    expect(refusal.options.headers?.ratelimit).toMatch(/^"session";r=1;t=\d+, "user";r=0;t=\d+$/);
  });

  test("of a user for costly requests covers all their sessions; a refusal takes nothing from session and user", async () => {
    const take = limits(redis, { ...perMinute, matchmaking: 2 }, createMetrics());
    const [user, first, second] = [anybody(), anybody(), anybody()];
    expect(await take("session", first, user, "matchmaking")).toEqual({
      "ratelimit-policy": '"session";q=60;w=60, "user";q=15;w=10, "matchmaking";q=2;w=60',
      ratelimit: '"session";r=59;t=1, "user";r=14;t=1, "matchmaking";r=1;t=30',
    });
    await take("session", second, user, "matchmaking");
    const refusal = (await take("session", first, user, "matchmaking").catch(error => error)) as Problem;
    expect(refusal.detail).toMatch(/^over the limit of 2 requests a minute of one user to join a queue; try again in \d+ s$/);
    expect(refusal.options.headers?.ratelimit).toMatch(/^"session";r=59;t=\d+, "user";r=1[345];t=\d+, "matchmaking";r=0;t=\d+$/);
    expect(await status(take("session", first, user))).toBe(200);
    expect(await status(take("session", first, anybody(), "matchmaking"))).toBe(200);
  });

  test("keeps the buckets of one script under one hash tag, and for a minute only", async () => {
    const [user, session] = [anybody(), anybody()];
    await limits(redis, perMinute, createMetrics())("session", session, user, "matchmaking");
    const keys = await redis.send<string[]>("KEYS", `*${user}*`);
    expect(keys.map(key => /\{(.+?)\}/.exec(key)?.[1])).toEqual(Array(3).fill(`user:${user}`));
    for (const key of keys) expect(await redis.send<number>("PTTL", key)).toBeWithin(1, 60_001);
  });

  test("delays a refusal; allowed requests are answered at once", async () => {
    const take = limits(redis, perMinute, createMetrics(), 300);
    const who = anybody();
    const since = performance.now();
    await Promise.all([take("sign-in", who), take("sign-in", who), take("sign-in", who)]);
    const refusals = Promise.all([status(take("sign-in", who)), status(take("sign-in", who))]);
    expect(await status(take("sign-in", anybody()))).toBe(200);
    expect(await refusals).toEqual([429, 429]);
    expect(performance.now() - since).toBeGreaterThanOrEqual(299);
  });

  test("is counted by each process alone while Redis is away", async () => {
    const gone = await testRedis();
    await gone.stop();
    const take = limits(gone, perMinute, createMetrics());
    const who = anybody();
    const answers: number[] = [];
    for (let n = 0; n < 7; n++) answers.push(await status(take("address", who)));
    expect(answers).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const own = limits(gone, { ...perMinute, session: 10, user: 18 }, createMetrics());
    const user = anybody();
    const sessions: number[] = [];
    for (let n = 0; n < 5; n++) sessions.push(await status(own("session", anybody(), user)));
    expect(sessions).toEqual([200, 200, 200, 429, 429]);
  });
});

test("public routes are counted without Redis", async () => {
  let asked = 0;
  const counting = new Proxy(redis, {
    get: (target, name) => {
      asked++;
      return target[name as keyof Redis];
    },
  });
  const take = limits(counting, perMinute, createMetrics());
  for (const [name, holds] of [
    ["open", 4],
    ["keys", 6],
  ] as const) {
    const who = anybody();
    for (let n = 0; n < holds; n++) expect(await status(take(name, who))).toBe(200);
    expect(await status(take(name, who))).toBe(429);
  }
  expect(asked).toBe(0);
});

describe("a bucket in memory", () => {
  const one = (take: ReturnType<typeof localBuckets>) => (key: string) => take([key], [{ holds: 5, fill: 60_000 }])[0]!;

  test("refills with time, up to its size", () => {
    let now = 0;
    const take = one(localBuckets(() => now));
    for (let n = 0; n < 5; n++) expect(take("a").had).toBe(true);
    expect(take("a")).toEqual({ had: false, left: 0, nextIn: 12_000 });
    now += 12_000;
    expect(take("a").had).toBe(true);
    expect(take("a").had).toBe(false);
    now += 3_600_000;
    for (let n = 0; n < 5; n++) expect(take("a").had).toBe(true);
    expect(take("a").had).toBe(false);
  });

  test("is dropped for newer ones: memory is bounded", () => {
    const take = one(localBuckets(() => 0));
    for (let n = 0; n < 5; n++) take("first");
    expect(take("first").had).toBe(false);
    for (let n = 0; n < 10_000; n++) take(`other ${n}`);
    expect(take("first").had).toBe(true);
  });
});
