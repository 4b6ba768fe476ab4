import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Redis } from "../../kernel/redis/redis.ts";
import { commandsOf } from "../../testing/commands.ts";
import { testRedis } from "../../testing/redis.ts";
import { privateServers } from "../../testing/servers.ts";
import { forEach, joinStore as join } from "../../testing/tickets.ts";
import { type ModeStore, modeStore } from "../mode_store.ts";

// A server of its own: the numbers of commands are those of the whole server.
let servers: Awaited<ReturnType<typeof privateServers<"redis">>>;
let redis: Redis;
let store: ModeStore;
beforeAll(async () => {
  servers = await privateServers("redis");
  redis = await testRedis(servers.redis.url);
  store = modeStore(redis, "kenri:matchmaking", { name: "casual", strategy: "fifo", ttl: 60_000 }, 3_600_000);
});
afterAll(async () => {
  await redis.stop();
  await servers.stop();
});

/** Pairs so many players whom nobody has told yet; half of their matches are published. */
async function backlog(players: number): Promise<void> {
  const names = Array.from({ length: players }, () => `other-${crypto.randomUUID()}`);
  await forEach(names, name => join(store, name));
  while ((await store.pairFifo(500)).waits.length > 0);
  const taken = await store.take("relay", 60_000, players / 4, false);
  await store.published(taken.map(one => ({ ...one, seq: 1 })));
}

const readers = ["evalsha", "hmget", "hget", "hgetall", "lrange", "xrange", "zrange", "zrangebylex", "zrangebyscore"];

test("an erasure reads as much with 3,000 matches of others under way as with none", async () => {
  async function cost(user: string): Promise<number[]> {
    await join(store, user);
    await join(store, `peer of ${user}`);
    await store.pairFifo(1);
    const calls = await commandsOf(redis, async () => expect((await store.erase(user, "erased-1")).waiting).toBe(1));
    return readers.map(calls);
  }
  const alone = await cost("ann");
  await backlog(6000);
  expect((await store.depth()).unpublished).toBeGreaterThan(1000);
  expect((await store.depth()).unannounced).toBeGreaterThan(1000);
  expect(await cost("bob")).toEqual(alone);
  // These two would read all matches at once.
  expect(["xrange", "zrange"].map(name => alone[readers.indexOf(name)])).toEqual([0, 0]);
});
