import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createMetrics } from "../kernel/metrics.ts";
import type { Problem } from "../kernel/problem.ts";
import type { Redis } from "../kernel/redis.ts";
import { testRedis } from "../testing/redis.ts";
import { limits, localBuckets } from "./limits.ts";

let redis: Redis;
let other: Redis;
beforeAll(async () => {
  [redis, other] = await Promise.all([testRedis(), testRedis()]);
});
afterAll(() => Promise.all([redis.stop(), other.stop()]));

const perMinute = { session: 60, address: 5, "sign-in": 3, open: 4, keys: 6 };
const status = (asking: Promise<unknown>) =>
  asking.then(
    () => 200,
    error => (error as Problem).status,
  );
const anybody = () => crypto.randomUUID();

describe("a limit", () => {
  test("lets so many through, says what is left, and refuses the next with when to come again", async () => {
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

  test("is one for all gateways, however they race", async () => {
    const gateways = [limits(redis, perMinute, createMetrics()), limits(other, perMinute, createMetrics())];
    const who = anybody();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => status(gateways[n % 2]!("address", who))));
    expect(answers.filter(answer => answer === 200)).toHaveLength(5);
    expect(answers.filter(answer => answer === 429)).toHaveLength(95);
  });

  test("is each caller's own, and each kind's own", async () => {
    const take = limits(redis, perMinute, createMetrics());
    const who = anybody();
    for (let n = 0; n < 3; n++) await take("sign-in", who);
    expect(await status(take("sign-in", who))).toBe(429);
    expect(await status(take("sign-in", anybody()))).toBe(200);
    expect(await status(take("address", who))).toBe(200);
  });

  test("holds in each process alone while Redis is away", async () => {
    const gone = await testRedis();
    await gone.stop();
    const take = limits(gone, perMinute, createMetrics());
    const who = anybody();
    const answers: number[] = [];
    for (let n = 0; n < 7; n++) answers.push(await status(take("address", who)));
    expect(answers).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });
});

test("what is open to anybody is counted without Redis", async () => {
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
  test("fills again with time, up to what it holds", () => {
    let now = 0;
    const take = localBuckets(() => now);
    for (let n = 0; n < 5; n++) expect(take("a", 5).taken).toBe(true);
    expect(take("a", 5)).toEqual({ taken: false, left: 0, nextIn: 12_000 });
    now += 12_000;
    expect(take("a", 5).taken).toBe(true);
    expect(take("a", 5).taken).toBe(false);
    now += 3_600_000;
    for (let n = 0; n < 5; n++) expect(take("a", 5).taken).toBe(true);
    expect(take("a", 5).taken).toBe(false);
  });

  test("makes room for others: memory is bounded", () => {
    const take = localBuckets(() => 0);
    for (let n = 0; n < 5; n++) take("first", 5);
    expect(take("first", 5).taken).toBe(false);
    for (let n = 0; n < 10_000; n++) take(`other ${n}`, 5);
    expect(take("first", 5).taken).toBe(true);
  });
});
