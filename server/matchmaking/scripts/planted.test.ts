import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Redis } from "../../kernel/redis/redis.ts";
import { testRedis } from "../../testing/redis.ts";
import { joinIdOf } from "../ids.ts";
import { type ModeStore, modeStore } from "../mode_store.ts";
import type { Strategy } from "../modes.ts";
import { encodeMatch } from "../outbox/event.ts";
import { readFacts } from "../outbox/match_facts.ts";

let redis: Redis;
beforeAll(async () => {
  redis = await testRedis();
});
afterAll(() => redis.stop());

const newStore = (strategy: Strategy = "fifo"): ModeStore =>
  modeStore(redis, `kenri:matchmaking:${crypto.randomUUID()}`, { name: "casual", strategy, ttl: 60_000 }, 3_600_000);

async function join(store: ModeStore, userId: string): Promise<string> {
  const { ticketId } = await store.join({
    userId,
    joinId: joinIdOf(userId, store.mode.name, "k"),
    ticketId: Bun.randomUUIDv7(),
    digest: "d",
    attributes: "{}",
    rating: store.mode.strategy === "rating" ? 1500 : undefined,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  });
  return ticketId;
}
const plant = async (store: ModeStore, name: string) => {
  await redis.send("DEL", store.key(name));
  await redis.send("SET", store.key(name), "planted");
};
const pair = (store: ModeStore) =>
  store.mode.strategy === "fifo"
    ? store.pairFifo(10)
    : store.pairByRating(10, { window: 100, range: 10_000, opens: 20_000, looks: 100, from: 0 });

describe.each(["fifo", "rating"] as const)("by %s", strategy => {
  test("a key of another type in the place of the players of open matches keeps nobody from a match and its announcement", async () => {
    const store = newStore(strategy);
    await plant(store, "open");
    const tickets = [await join(store, "a"), await join(store, "b")];
    expect((await pair(store)).waits).toHaveLength(2);
    const [{ matchId } = { matchId: "" }] = await store.take("relay", 5000, 10, false);
    expect(await store.announced([matchId])).toEqual([matchId]);
    for (const ticketId of tickets) expect((await store.read(ticketId))?.fields.status).toBe("MATCHED");
  });

  test("a key of another type in the place of a ticket leaves the queue, and blocks nobody", async () => {
    const store = newStore(strategy);
    const [a, b, c] = [await join(store, "a"), await join(store, "b"), await join(store, "c")];
    await plant(store, `ticket:${a}`);
    expect((await store.depth()).waiting).toBe(3);
    const made = await pair(store);
    expect([made.waits.length, made.invalid]).toEqual([2, 1]);
    for (const ticketId of [b, c]) expect((await store.read(ticketId))?.fields.status).toBe("MATCHED");
    expect(await store.read(a)).toBeUndefined();
    expect((await store.endedTickets()).map(({ ticket_id, status }) => [ticket_id, status])).toEqual([[a, "INVALID"]]);
    await redis.send("DEL", store.key(`ticket:${a}`));
    await redis.send("DEL", store.key(`join:${joinIdOf("a", "casual", "k")}`));
    expect(await join(store, "a")).not.toBe(a);
  });

  test.each([
    ["join_id", "no-uuid"],
    ["join_id", "x".repeat(36)],
    ["user_id", ""],
    ["joined_at", "1.5"],
    ["joined_at", "-5"],
    ["joined_at", "inf"],
    ["expires_at", "nan"],
    ["expires_at", "inf"],
  ])(
    "a ticket that no relay could publish is INVALID before it is paired, and its would-be opponent waits: %s %s",
    async (field, value) => {
      const store = newStore(strategy);
      const [broken, good] = [await join(store, "a"), await join(store, "b")];
      await redis.send("HSET", store.key(`ticket:${broken}`), field, value);
      if (field === "user_id") await redis.send("HSET", store.key("live"), "", broken);
      expect((await pair(store)).invalid).toBe(1);
      expect((await store.read(good))?.fields.status).toBe("QUEUED");
      expect((await store.read(broken))?.fields.status).toBe("INVALID");
    },
  );

  test("a ticket of which Redis' clock was set back since is paired, and nobody joined after the pairing", async () => {
    const store = newStore(strategy);
    const tickets = [await join(store, "a"), await join(store, "b")];
    for (const id of tickets) await redis.send("HSET", store.key(`ticket:${id}`), "joined_at", Date.now() + 3_600_000);
    expect((await pair(store)).waits).toEqual([0, 0]);
    const [entry] = await store.take("relay", 5000, 10, false);
    const { paired_at, players } = readFacts(entry!.event);
    for (const { joined_at } of players) expect(joined_at).toBeLessThanOrEqual(paired_at);
    expect(() => encodeMatch(entry!)).not.toThrow();
  });
});

test("a rating that is not a number is INVALID, and stops nobody", async () => {
  const store = newStore("rating");
  const [broken] = [await join(store, "a"), await join(store, "b"), await join(store, "c")];
  await redis.send("HSET", store.key(`ticket:${broken}`), "rating", "nan");
  const made = await pair(store);
  expect([made.waits.length, made.invalid]).toEqual([2, 1]);
  expect((await store.read(broken))?.fields.why).toBe("the ticket has no rating");
});

test("an expiry that is too early is corrected, whatever stands in the ticket, and the others expire", async () => {
  const store = newStore();
  const [a, b, c] = [await join(store, "a"), await join(store, "b"), await join(store, "c")];
  await redis.send("HSET", store.key(`ticket:${a}`), "expires_at", ` ${Date.now() + 60_000} `);
  await plant(store, `ticket:${b}`);
  await redis.send("HSET", store.key(`ticket:${c}`), "expires_at", 1);
  for (const id of [a, b, c]) await redis.send("ZADD", store.key("expiries"), 1, id);
  expect(await store.expire(10)).toEqual({ expired: 1, invalid: 1 });
});

test("a key of another type in the place of a match stops no script of the relay", async () => {
  const store = newStore();
  for (const user of ["a", "b", "c", "d"]) await join(store, user);
  await pair(store);
  const [bad, good] = await store.take("relay", 5000, 10, false);
  await plant(store, `match:${bad!.matchId}`);
  const failed = [bad!, good!].map(({ matchId }) => ({ matchId, why: "no answer" }));
  expect(await store.notPublished(failed)).toBe(1);
  expect(await store.published([bad!, good!].map(entry => ({ ...entry, seq: 1 })))).toEqual([good!.matchId]);
  await redis.send("ZADD", store.key("published"), 1, bad!.matchId);
  expect(await store.resend([bad!.matchId])).toEqual([]);
  await redis.send("ZADD", store.key("published"), 1, bad!.matchId);
  expect((await store.unannounced(0, 10)).map(({ matchId }) => matchId)).toEqual([good!.matchId]);
  expect(await store.playersOf(bad!.matchId)).toEqual([]);
  expect(await store.voidMatch({ matchId: bad!.matchId, why: "planted", players: [] })).toBeUndefined();
  expect(await store.announced([bad!.matchId, good!.matchId])).toEqual([good!.matchId]);
});

test("a void match releases a player although the ticket of the other one is damaged", async () => {
  const store = newStore();
  const [broken, good] = [await join(store, "a"), await join(store, "b")];
  await pair(store);
  const { matchId } = (await store.take("relay", 5000, 10, false))[0]!;
  await redis.send("HDEL", store.key(`ticket:${broken}`), "join_id", "number");
  const players = [{ ticketId: broken }, { ticketId: good }];
  expect(await store.voidMatch({ matchId, why: "planted", players })).toBe(1);
  expect((await store.read(broken))?.fields.status).toBe("INVALID");
  expect((await store.read(good))?.fields.status).toBe("QUEUED");
  expect((await store.history()).totals).toMatchObject({ joined: "2", matched: "0", invalid: "1" });
});

test("a ticket whose place by rating is wrong is not paired with itself, nor out of its window", async () => {
  const store = newStore("rating");
  const a = await join(store, "a");
  await redis.send("ZADD", store.key("ratings"), 1450, a);
  expect((await pair(store)).waits).toEqual([]);
  expect(Number(await redis.send("ZSCORE", store.key("ratings"), a))).toBe(1500);
  const b = await join(store, "b");
  await redis.send("HSET", store.key(`ticket:${b}`), "rating", 9000);
  expect((await pair(store)).waits).toEqual([]);
  expect(Number(await redis.send("ZSCORE", store.key("ratings"), b))).toBe(9000);
});
