import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHealth } from "../kernel/life/health.ts";
import { createRedis, type Redis } from "../kernel/redis/redis.ts";
import { silentLog } from "../kernel/telemetry/log.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";
import { testRedisUrl } from "../testing/redis.ts";
import { workerRecords, workerScripts } from "./worker_records.ts";

const prefix = `kenri:test-workers-${crypto.randomUUID()}`;
let redis: Redis;
beforeAll(async () => {
  redis = createRedis({
    url: testRedisUrl(),
    deadline: 5000,
    scripts: workerScripts,
    log: silentLog,
    health: createHealth(),
    metrics: createMetrics(),
  });
  await redis.start();
});
afterAll(() => redis.stop());

const told = (worker: string, trouble: string | null = null) => ({
  worker,
  role: "matchmaking:relay",
  version: "1",
  parts: { broker: trouble },
});

test("a report is listed with its age by the clock of Redis, keeps its start, and ends with its time to live", async () => {
  const { report, list } = workerRecords(redis, prefix);
  expect(await list()).toEqual([]);
  await report(told("a"));
  const [first] = await list();
  expect(first).toMatchObject({ ...told("a"), age_seconds: expect.any(Number) });
  expect(Math.abs(Date.parse(first!.started_at) - Date.now())).toBeLessThan(60_000);
  await report(told("a", "NATS is not connected"));
  expect(await list()).toMatchObject([{ ...told("a", "NATS is not connected"), started_at: first!.started_at }]);
  expect(await redis.send<number>("PTTL", `${prefix}:workers`)).toBeGreaterThan(3_000_000);
});

test("a worker that was silent for an hour is forgotten by the next report, and what no worker wrote is neither listed nor kept", async () => {
  const { report, list } = workerRecords(redis, `${prefix}-old`);
  const key = `${prefix}-old:workers`;
  await redis.send(
    "HSET",
    key,
    "old",
    `1000 1000 ${JSON.stringify({ role: "r", version: "1", parts: {} })}`,
    "planted",
    "{}",
    "broken",
    "5 5 {",
  );
  expect((await list()).map(({ worker }) => worker)).toEqual(["old"]);
  await report(told("new"));
  expect((await list()).map(({ worker }) => worker)).toEqual(["new"]);
  expect(await redis.send<number>("HLEN", key)).toBe(1);
});
