import { rmSync } from "node:fs";
import { choosePort } from "../../stack/ports.ts";
import { findRedis } from "../../stack/redis_binary.ts";
import { scratchFolder } from "../../stack/scratch.ts";
import { becomes, until } from "../../stack/wait.ts";
import type { Redis } from "../kernel/redis/redis.ts";
import { testRedis } from "./redis.ts";

/**
 * A Redis Cluster of one node, which has all slots. It refuses a script if the keys that are given to it are in several slots. It does not refuse a key
 * that the script makes itself, because the slot is on the same node.
 */
export interface RedisCluster {
  readonly redis: Redis;
  slotOf(key: string): Promise<number>;
  allKeys(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function redisCluster(): Promise<RedisCluster> {
  const folder = scratchFolder();
  const { path, env } = await findRedis({ say: () => {} });
  const port = await choosePort(folder, "redis");
  const bus = await choosePort(folder, "bus");
  const settings = { port, "cluster-port": bus, bind: "127.0.0.1", dir: folder, save: "", "cluster-enabled": "yes" };
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = Bun.spawn([path, ...options], { env, stdio: ["ignore", "ignore", "ignore"] });
  const down = async () => {
    child.kill("SIGKILL");
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const redis = await connected(`redis://127.0.0.1:${port}`);
    await redis.send("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
    await until("the cluster is ready", 10_000, async () => String(await redis.send("CLUSTER", "INFO")).includes("cluster_state:ok"));
    return {
      redis,
      slotOf: key => redis.send<number>("CLUSTER", "KEYSLOT", key),
      allKeys: () => scanned(redis),
      async stop() {
        await redis.stop();
        await down();
      },
    };
  } catch (error) {
    await down();
    throw error;
  }
}

/** The client connects again by itself until the server listens. */
async function connected(url: string): Promise<Redis> {
  let redis: Redis | undefined;
  await becomes(10_000, async () => {
    redis = await testRedis(url).catch(() => undefined);
    return redis !== undefined;
  });
  if (!redis) throw new Error("redis-server does not listen");
  return redis;
}

async function scanned(redis: Redis): Promise<string[]> {
  const keys: string[] = [];
  let cursor = "0";
  do {
    const [next, page] = await redis.send<[string, string[]]>("SCAN", cursor, "COUNT", 1000);
    keys.push(...page);
    cursor = String(next);
  } while (cursor !== "0");
  return [...new Set(keys)];
}
