import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { testIntegrity } from "../../testing/integrity.ts";
import { testRedis } from "../../testing/redis.ts";
import { sessions } from "./sessions.ts";

let redis: Redis;
beforeAll(async () => {
  redis = await testRedis();
});
afterAll(() => redis.stop());

const integrity = testIntegrity();
const long = { idle: 60_000, absolute: 600_000 };
const anybody = () => crypto.randomUUID();

test("a session is found by its id, by every gateway, and by nothing else", async () => {
  const user = anybody();
  const id = await sessions(redis, integrity, long).open(user);
  expect(id).toMatch(/^[\w-]{43}$/);
  expect((await sessions(redis, integrity, long).read(id))?.userId).toBe(user);
  const tampered = `${id.slice(0, -1)}${id.endsWith("A") ? "B" : "A"}`;
  for (const wrong of [tampered, "", "x", id.slice(1), `${id}A`, `kenri:session:${id}`, "*".repeat(43)])
    expect(await sessions(redis, integrity, long).read(wrong)).toBeUndefined();
});

test("what Redis holds is no cookie", async () => {
  const kept = sessions(redis, integrity, long);
  const id = await kept.open(anybody());
  const { key } = (await kept.read(id))!;
  expect(key).not.toContain(id);
  expect(await kept.read(key.split(":").at(-1)!)).toBeUndefined();
});

test("one that nobody uses ends; one that is used goes on", async () => {
  const kept = sessions(redis, integrity, { idle: 400, absolute: 600_000 });
  const [used, unused] = [await kept.open(anybody()), await kept.open(anybody())];
  const unusedKey = (await kept.read(unused))!;
  await until("the unused one has ended", 5000, async () => {
    expect(await kept.read(used)).toBeDefined();
    return !(await kept.exists(unusedKey));
  });
  expect(await kept.read(used)).toBeDefined();
});

test("every session ends, however much it is used", async () => {
  const kept = sessions(redis, integrity, { idle: 60_000, absolute: 500 });
  const id = await kept.open(anybody());
  await until("it has ended", 5000, async () => (await kept.read(id)) === undefined);
});

test("one that was ended is gone; the user's others stay until all are ended", async () => {
  const kept = sessions(redis, integrity, long);
  const user = anybody();
  const ids = [await kept.open(user), await kept.open(user), await kept.open(user)];
  const bystander = await kept.open(anybody());
  await kept.end((await kept.read(ids[0]!))!);
  expect(await kept.read(ids[0]!)).toBeUndefined();
  expect(await kept.read(ids[1]!)).toBeDefined();
  expect(await kept.endAll(user)).toBe(2);
  for (const id of ids) expect(await kept.read(id)).toBeUndefined();
  expect(await kept.read(bystander)).toBeDefined();
  expect(await kept.endAll(user)).toBe(0);
});

test("all of a user's sessions are known until the last has ended, also after the absolute time was set shorter", async () => {
  const user = anybody();
  const older = await sessions(redis, integrity, long).open(user);
  const short = sessions(redis, integrity, { idle: 60_000, absolute: 200 });
  const newer = await short.open(user);
  await until("the newer one has ended", 5000, async () => (await short.read(newer)) === undefined);
  expect(await short.endAll(user)).toBe(1);
  expect(await short.read(older)).toBeUndefined();
});

const indexOf = (user: string) => `kenri:{user:${user}}:sessions`;
const alive = async (kept: ReturnType<typeof sessions>, ids: readonly string[]) =>
  (await Promise.all(ids.map(id => kept.read(id)))).map(session => session !== undefined);

test("one more than a user may have ends the oldest, and nobody else's", async () => {
  const kept = sessions(redis, integrity, { ...long, perUser: 3 });
  const [user, other] = [anybody(), await kept.open(anybody())];
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await kept.open(user));
  expect(await alive(kept, ids)).toEqual([false, false, true, true, true]);
  expect(await kept.list(user)).toHaveLength(3);
  expect(await redis.send<number>("ZCARD", indexOf(user))).toBe(3);
  expect(await kept.read(other)).toBeDefined();
});

test("of many sign-ins of one user at once, at two gateways, exactly as many sessions are left as they may have", async () => {
  const second = await testRedis();
  const gateways = [sessions(redis, integrity, { ...long, perUser: 4 }), sessions(second, integrity, { ...long, perUser: 4 })];
  const user = anybody();
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => gateways[n % 2]!.open(user)));
  expect((await alive(gateways[0]!, ids)).filter(Boolean)).toHaveLength(4);
  const last = await gateways[1]!.open(user);
  expect((await alive(gateways[0]!, [...ids, last])).filter(Boolean)).toHaveLength(4);
  expect(await gateways[0]!.read(last)).toBeDefined();
  expect(await gateways[0]!.endAll(user)).toBe(4);
  await second.stop();
});

test("the newest session stays, also after the absolute time was set shorter; sessions that have ended do not count", async () => {
  const user = anybody();
  const older = await sessions(redis, integrity, { ...long, perUser: 2 }).open(user);
  const short = sessions(redis, integrity, { idle: 60_000, absolute: 30_000, perUser: 2 });
  const ended = await short.open(user);
  await short.end((await short.read(ended))!);
  const [third, fourth] = [await short.open(user), await short.open(user)];
  expect(await alive(short, [older, third, fourth])).toEqual([false, true, true]);
});

test("one that an older version opened, without its time, is the oldest", async () => {
  const kept = sessions(redis, integrity, { ...long, perUser: 2 });
  const user = anybody();
  const [first, second] = [await kept.open(user), await kept.open(user)];
  await redis.send("HDEL", (await kept.read(second))!.key, "opened_at");
  const third = await kept.open(user);
  expect(await alive(kept, [first, second, third])).toEqual([true, false, true]);
});

test("the index of a user's sessions ends with the last of them", async () => {
  const user = anybody();
  await sessions(redis, integrity, { idle: 100, absolute: 300 }).open(user);
  expect(await redis.send<number>("PTTL", indexOf(user))).toBeWithin(1, 301);
  await until("it has ended", 5000, async () => (await redis.send<number>("EXISTS", indexOf(user))) === 0);
});
