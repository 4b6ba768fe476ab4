import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import type { Redis } from "../kernel/redis.ts";
import { testIntegrity } from "../testing/integrity.ts";
import { testRedis } from "../testing/redis.ts";
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
