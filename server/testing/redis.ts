import { until } from "../../stack/wait.ts";
import { createHealth } from "../kernel/life/health.ts";
import { createRedis, type Redis } from "../kernel/redis/redis.ts";
import { silentLog } from "../kernel/telemetry/log.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";

/** The Redis that `bun run test` started for all test files. Tests are kept apart by the names of users and addresses. */
export function testRedisUrl(): string {
  const url = process.env.KENRI_TEST_REDIS_URL;
  if (!url) throw new Error("no test servers: run the tests with `bun run test [files]`");
  return url;
}

/** A connection to it, or to another one. */
export async function testRedis(url = testRedisUrl()): Promise<Redis> {
  const redis = createRedis({ url, deadline: 2000, log: silentLog, health: createHealth(), metrics: createMetrics() });
  await redis.start();
  await until("Redis is connected", 5000, () => redis.connected());
  return redis;
}
