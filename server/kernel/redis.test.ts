import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { privateServers } from "../testing/servers.ts";
import { createHealth } from "./health.ts";
import { silentLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createRedis, type Redis, RedisAway, type Script } from "./redis.ts";

let servers: Awaited<ReturnType<typeof privateServers<"redis">>>;
const open: Redis[] = [];
beforeAll(async () => {
  servers = await privateServers("redis");
});
afterAll(async () => {
  await Promise.all(open.map(one => one.stop()));
  await servers.stop();
});

async function connected() {
  const health = createHealth();
  const redis = createRedis({ url: servers.redis.url, deadline: 300, log: silentLog, health, metrics: createMetrics() });
  open.push(redis);
  await redis.start();
  await until("it is connected", 5000, () => redis.connected());
  return { redis, health };
}

const text = "return {ARGV[1], redis.call('INCR', KEYS[1])}";
const counts: Script = { text, sha: new Bun.CryptoHasher("sha1").update(text).digest("hex") };
const refusal = (asking: Promise<unknown>) => asking.catch(error => error);

describe("the connection to Redis", () => {
  test("answers, runs scripts that the server does not know yet, and passes on what the server refuses", async () => {
    const { redis, health } = await connected();
    expect(await redis.send<string>("SET", "a", 1)).toBe("OK");
    expect(await redis.run<unknown[]>(counts, ["n"], ["x"])).toEqual(["x", 1]);
    await redis.send("SCRIPT", "FLUSH");
    expect(await redis.run<unknown[]>(counts, ["n"], ["x"])).toEqual(["x", 2]);
    expect(await refusal(redis.send("INCR"))).not.toBeInstanceOf(RedisAway);
    expect(redis.connected()).toBe(true);
    expect(health.troubles()).toEqual({});
  });

  test("to a server that is killed refuses at once, says so, and comes back by itself", async () => {
    const { redis, health } = await connected();
    await servers.redis.halt();
    await until("it knows", 5000, () => !redis.connected());
    const since = performance.now();
    expect(await refusal(redis.send("GET", "a"))).toBeInstanceOf(RedisAway);
    expect(performance.now() - since).toBeLessThan(100);
    expect(health.troubles()).toEqual({ redis: "Redis is not connected" });
    await servers.redis.start();
    await until("it is back", 10_000, () => redis.connected());
    expect(await redis.run<unknown[]>(counts, ["m"], ["x"])).toEqual(["x", 1]);
    expect(health.troubles()).toEqual({});
  });

  test("to a server that hangs gives up after its deadline, once, and comes back by itself", async () => {
    const { redis } = await connected();
    servers.redis.pause();
    const asked = await Promise.all([refusal(redis.send("GET", "a")), refusal(redis.send("GET", "b"))]);
    expect(asked.every(error => error instanceof RedisAway)).toBe(true);
    expect(await refusal(redis.send("GET", "a"))).toBeInstanceOf(RedisAway);
    servers.redis.resume();
    await until("it is back", 10_000, () => redis.connected());
    expect(await redis.send<string>("PING")).toBe("PONG");
  });

  test("to a server that cannot do its work refuses as if it were away, says why, and is well again after", async () => {
    const { redis, health } = await connected();
    await redis.send("CONFIG", "SET", "maxmemory", "1");
    expect(await refusal(redis.send("SET", "a", "1"))).toBeInstanceOf(RedisAway);
    expect(await refusal(redis.run(counts, ["n"], ["x"]))).toBeInstanceOf(RedisAway);
    expect(health.troubles().redis).toContain("OOM");
    expect(redis.connected()).toBe(true);
    await redis.send("CONFIG", "SET", "maxmemory", "0");
    expect(await redis.send<string>("SET", "a", "1")).toBe("OK");
    expect(health.troubles()).toEqual({});
  });

  test("starts without the server, and after a stop refuses", async () => {
    const redis = createRedis({
      url: "redis://127.0.0.1:1",
      deadline: 300,
      log: silentLog,
      health: createHealth(),
      metrics: createMetrics(),
    });
    await redis.start();
    expect(await refusal(redis.send("PING"))).toBeInstanceOf(RedisAway);
    await redis.stop();
    expect(await refusal(redis.send("PING"))).toBeInstanceOf(RedisAway);
  });
});
