import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { testIntegrity } from "../../testing/integrity.ts";
import { testRedis } from "../../testing/redis.ts";
import { createSessions } from "./sessions.ts";

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
  const id = await createSessions(redis, integrity, long).open(user);
  expect(id).toMatch(/^[\w-]{43}$/);
  expect((await createSessions(redis, integrity, long).read(id))?.userId).toBe(user);
  const tampered = `${id.slice(0, -1)}${id.endsWith("A") ? "B" : "A"}`;
  for (const wrong of [tampered, "", "x", id.slice(1), `${id}A`, `kenri:session:${id}`, "*".repeat(43)])
    expect(await createSessions(redis, integrity, long).read(wrong)).toBeUndefined();
});

test("the content of Redis is no valid cookie", async () => {
  const kept = createSessions(redis, integrity, long);
  const id = await kept.open(anybody());
  const { key } = (await kept.read(id))!;
  expect(key).not.toContain(id);
  expect(await kept.read(key.split(":").at(-1)!)).toBeUndefined();
});

test("an unused session ends; a used one is extended", async () => {
  const kept = createSessions(redis, integrity, { idle: 1500, absolute: 600_000 });
  const [used, unused] = [await kept.open(anybody()), await kept.open(anybody())];
  const unusedKey = (await kept.read(unused))!;
  await until("the unused one has ended", 5000, async () => {
    expect(await kept.read(used)).toBeDefined();
    return !(await kept.exists(unusedKey));
  });
  expect(await kept.read(used)).toBeDefined();
});

test("every session ends after its absolute lifetime, also when it is used", async () => {
  const kept = createSessions(redis, integrity, { idle: 60_000, absolute: 500 });
  const id = await kept.open(anybody());
  await until("it has ended", 5000, async () => (await kept.read(id)) === undefined);
});

test("an ended session is gone; the user's others stay until all are ended", async () => {
  const kept = createSessions(redis, integrity, long);
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

test("all of a user's sessions are listed until the last has ended, also after the absolute lifetime was set shorter", async () => {
  const user = anybody();
  const older = await createSessions(redis, integrity, long).open(user);
  const short = createSessions(redis, integrity, { idle: 60_000, absolute: 200 });
  const newer = await short.open(user);
  await until("the newer one has ended", 5000, async () => (await short.read(newer)) === undefined);
  expect(await short.endAll(user)).toBe(1);
  expect(await short.read(older)).toBeUndefined();
});

const indexOf = (user: string) => `kenri:{user:${user}}:sessions`;
const alive = async (kept: ReturnType<typeof createSessions>, ids: readonly string[]) =>
  (await Promise.all(ids.map(id => kept.read(id)))).map(session => session !== undefined);

test("one session too many ends the user's oldest, and no other user's", async () => {
  const kept = createSessions(redis, integrity, { ...long, perUser: 3 });
  const [user, other] = [anybody(), await kept.open(anybody())];
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await kept.open(user));
  expect(await alive(kept, ids)).toEqual([false, false, true, true, true]);
  expect(await kept.list(user)).toHaveLength(3);
  expect(await redis.send<number>("ZCARD", indexOf(user))).toBe(3);
  expect(await kept.read(other)).toBeDefined();
});

test("after many concurrent sign-ins of one user, at two gateways, exactly the most allowed sessions are left", async () => {
  const second = await testRedis();
  const gateways = [createSessions(redis, integrity, { ...long, perUser: 4 }), createSessions(second, integrity, { ...long, perUser: 4 })];
  const user = anybody();
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => gateways[n % 2]!.open(user)));
  expect((await alive(gateways[0]!, ids)).filter(Boolean)).toHaveLength(4);
  const last = await gateways[1]!.open(user);
  expect((await alive(gateways[0]!, [...ids, last])).filter(Boolean)).toHaveLength(4);
  expect(await gateways[0]!.read(last)).toBeDefined();
  expect(await gateways[0]!.endAll(user)).toBe(4);
  await second.stop();
});

test("the newest session stays, also after the absolute lifetime was set shorter; ended sessions do not count", async () => {
  const user = anybody();
  const older = await createSessions(redis, integrity, { ...long, perUser: 2 }).open(user);
  const short = createSessions(redis, integrity, { idle: 60_000, absolute: 30_000, perUser: 2 });
  const ended = await short.open(user);
  await short.end((await short.read(ended))!);
  const [third, fourth] = [await short.open(user), await short.open(user)];
  expect(await alive(short, [older, third, fourth])).toEqual([false, true, true]);
});

test("a session of an older version, without opened_at, counts as the oldest", async () => {
  const kept = createSessions(redis, integrity, { ...long, perUser: 2 });
  const user = anybody();
  const [first, second] = [await kept.open(user), await kept.open(user)];
  await redis.send("HDEL", (await kept.read(second))!.key, "opened_at");
  const third = await kept.open(user);
  expect(await alive(kept, [first, second, third])).toEqual([true, false, true]);
});

test("the index of a user's sessions ends with the last of them", async () => {
  const [user, other] = [anybody(), anybody()];
  await createSessions(redis, integrity, long).open(user);
  expect(await redis.send<number>("PTTL", indexOf(user))).toBeWithin(1, long.absolute + 1);
  await createSessions(redis, integrity, { idle: 100, absolute: 300 }).open(other);
  await until("it has ended", 5000, async () => (await redis.send<number>("EXISTS", indexOf(other))) === 0);
});
