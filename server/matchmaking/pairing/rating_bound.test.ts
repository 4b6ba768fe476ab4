import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Redis } from "../../kernel/redis/redis.ts";
import { commandsOf } from "../../testing/commands.ts";
import { type RatingScene, ratingScene } from "../../testing/rating_scene.ts";
import { testRedis } from "../../testing/redis.ts";
import { privateServers } from "../../testing/servers.ts";
import { forEach } from "../../testing/tickets.ts";

// A server of its own: the numbers of commands are those of the whole server.
let servers: Awaited<ReturnType<typeof privateServers<"redis">>>;
let redis: Redis;
beforeAll(async () => {
  servers = await privateServers("redis");
  redis = await testRedis(servers.redis.url);
});
afterAll(async () => {
  await redis.stop();
  await servers.stop();
});

const looks = 20;
const most = 10;
/** Tickets that one call may read: those from the front and after `from`, a partner for each pair, and as many neighbours that have expired. */
const readable = 2 * looks + most + 2 * looks;

const expireAll = (scene: RatingScene) =>
  forEach([...scene.tickets.keys()], ticketId => redis.send("HSET", scene.store.key(`ticket:${ticketId}`), "expires_at", 1));

describe("one call of the strategy rating over 5,000 tickets", () => {
  const populations: [what: string, rating: (n: number) => number, isExpired: boolean][] = [
    ["nobody near anybody", n => n * 1000, false],
    ["everybody with the same rating", () => 1500, false],
    ["everybody expired", () => 1500, true],
  ];
  test.each(populations)("reads a bounded number of tickets: %s", async (_, rating, isExpired) => {
    const scene = ratingScene(redis);
    await scene.plant(Array.from({ length: 5000 }, (_, n) => ({ rating: rating(n), waited: 10 })));
    if (isExpired) await expireAll(scene);
    for (const from of [0, 2500]) {
      const calls = await commandsOf(redis, () => scene.pair(most, looks, from));
      // The end of a ticket reads it once more.
      expect(calls("hmget")).toBeGreaterThanOrEqual(looks);
      expect(calls("hmget")).toBeLessThanOrEqual(readable * (isExpired ? 2 : 1));
      // The queue twice, and for each ticket its neighbours: one look above, two below.
      expect(calls("zrangebyscore") + calls("zrevrangebyscore")).toBeLessThanOrEqual(2 + 3 * readable);
    }
  });
});
