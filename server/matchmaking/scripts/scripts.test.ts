import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { testRedis } from "../../testing/redis.ts";
import { joinStore as join } from "../../testing/tickets.ts";
import { joinIdOf } from "../ids.ts";
import { type ModeStore, modeStore } from "../mode_store.ts";

let redis: Redis;
beforeAll(async () => {
  redis = await testRedis();
});
afterAll(() => redis.stop());

const newStore = (ttl = 60_000, keep = 3_600_000): ModeStore =>
  modeStore(redis, `kenri:matchmaking:${crypto.randomUUID()}`, { name: "casual", strategy: "fifo", ttl }, keep);

const statusOf = async (store: ModeStore, ticketId: string) => (await store.read(ticketId))?.fields.status;
const zero = { expired: 0, invalid: 0, from: 0 };

describe("join", () => {
  test("makes a ticket that waits; the same request again gets the same ticket", async () => {
    const store = newStore();
    const first = await join(store, "alice", { key: "k" });
    expect([first.outcome, first.view.fields.status, first.view.ahead]).toEqual(["joined", "QUEUED", 0]);
    const again = await join(store, "alice", { key: "k" });
    expect([again.outcome, again.ticketId]).toEqual(["replayed", first.ticketId]);
    expect(await redis.send<number>("ZCARD", store.key("queue"))).toBe(1);
  });

  test("the same key with another digest is a conflict, and changes nothing", async () => {
    const store = newStore();
    const first = await join(store, "alice", { key: "k" });
    const other = await join(store, "alice", { key: "k", digest: "other" });
    expect([other.outcome, other.ticketId]).toEqual(["conflict", first.ticketId]);
  });

  test("a second ticket of a waiting player is refused with the first one's id", async () => {
    const store = newStore();
    const first = await join(store, "alice");
    const second = await join(store, "alice");
    expect([second.outcome, second.ticketId]).toEqual(["already_queued", first.ticketId]);
    expect((await store.history()).totals).toEqual({ joined: "1" });
  });

  test("after the end of a ticket its key still gets it, and a new key gets a new one", async () => {
    const store = newStore();
    const first = await join(store, "alice", { key: "k" });
    await store.cancel(first.ticketId, "alice");
    const again = await join(store, "alice", { key: "k" });
    expect([again.outcome, again.ticketId, again.view.fields.status]).toEqual(["replayed", first.ticketId, "CANCELLED"]);
    expect((await join(store, "alice", { key: "l" })).outcome).toBe("joined");
  });

  test("a player whose ticket has expired unseen can join again", async () => {
    const store = newStore(1);
    const first = await join(store, "alice");
    await redis.send("HSET", store.key(`ticket:${first.ticketId}`), "expires_at", 1);
    const second = await join(store, "alice");
    expect(second.outcome).toBe("joined");
    expect(await statusOf(store, first.ticketId)).toBe("EXPIRED");
    expect((await store.history()).totals).toEqual({ joined: "2", expired: "1" });
  });
});

describe("pair_fifo", () => {
  test("pairs the two that have waited longest, in the order of joining", async () => {
    const store = newStore();
    const tickets = [];
    for (const user of ["a", "b", "c", "d", "e"]) tickets.push((await join(store, user)).ticketId);
    const made = await store.pairFifo(10);
    expect([made.waits.length, made.expired, made.invalid]).toEqual([4, 0, 0]);
    const views = await Promise.all(tickets.map(id => store.read(id)));
    expect(views.map(view => view!.fields.peer_user_ids)).toEqual(['["b"]', '["a"]', '["d"]', '["c"]', undefined]);
    expect(views[0]!.fields.match_id).toBe(views[1]!.fields.match_id);
    expect(views[0]!.fields.session).toBe(views[1]!.fields.session);
    expect([views[4]!.fields.status, views[4]!.ahead]).toEqual(["QUEUED", 0]);
    const entries = await store.take("relay-1", 5000, 10, false);
    expect(entries.map(({ matchId }) => matchId)).toEqual([views[0]!.fields.match_id!, views[2]!.fields.match_id!]);
  });

  test("makes no more pairs than asked for", async () => {
    const store = newStore();
    for (const user of ["a", "b", "c", "d"]) await join(store, user);
    expect((await store.pairFifo(1)).waits.length).toBe(2);
    expect((await store.pairFifo(1)).waits.length).toBe(2);
    expect(await store.pairFifo(1)).toEqual({ waits: [], ...zero });
  });

  test("never pairs cancelled or expired tickets", async () => {
    const store = newStore();
    const [a, b, c] = [await join(store, "a"), await join(store, "b"), await join(store, "c")];
    await store.cancel(a.ticketId, "a");
    await redis.send("HSET", store.key(`ticket:${b.ticketId}`), "expires_at", 1);
    expect(await store.pairFifo(10)).toEqual({ waits: [], ...zero, expired: 1 });
    expect(await Promise.all([a, b, c].map(({ ticketId }) => statusOf(store, ticketId)))).toEqual(["CANCELLED", "EXPIRED", "QUEUED"]);
  });

  test("a broken ticket leaves the queue as INVALID with its reason, and blocks nobody", async () => {
    const store = newStore();
    const broken = [await join(store, "a"), await join(store, "b"), await join(store, "c"), await join(store, "d")];
    await redis.send("DEL", store.key(`ticket:${broken[0]!.ticketId}`));
    await redis.send("HDEL", store.key(`ticket:${broken[1]!.ticketId}`), "join_id");
    await redis.send("HSET", store.key("live"), "c", "another");
    await redis.send("HSET", store.key(`ticket:${broken[3]!.ticketId}`), "joined_at", "yesterday");
    await redis.send("ZADD", store.key("queue"), 0, "planted");
    const good = [await join(store, "e"), await join(store, "f")];
    const made = await store.pairFifo(10);
    expect([made.waits.length, made.invalid]).toEqual([2, 5]);
    expect(await Promise.all(good.map(({ ticketId }) => statusOf(store, ticketId)))).toEqual(["MATCHED", "MATCHED"]);
    expect((await store.endedTickets()).map(({ status, why }) => [status, why])).toEqual([
      ["INVALID", "a field of the ticket is missing or not valid"],
      ["INVALID", "the player waits with another ticket"],
      ["INVALID", "a field of the ticket is missing or not valid"],
      ["INVALID", "the queue has it, but there is no such ticket"],
      ["INVALID", "the queue has it, but there is no such ticket"],
    ]);
    expect(await redis.send<number>("ZCARD", store.key("queue"))).toBe(0);
  });

  test("a ticket that has ended keeps its state if the queue still has it", async () => {
    const store = newStore();
    const a = await join(store, "a");
    await store.cancel(a.ticketId, "a");
    await redis.send("ZADD", store.key("queue"), 1, a.ticketId);
    await join(store, "b");
    expect((await store.pairFifo(10)).waits).toEqual([]);
    expect(await statusOf(store, a.ticketId)).toBe("CANCELLED");
  });
});

describe("left", () => {
  const settled = 60_000;

  test("an event counts until somebody reads it, and again when its lease is over", async () => {
    const store = newStore();
    for (const user of ["a", "b"]) await join(store, user);
    expect(await store.left(settled)).toBe(0);
    await store.pairFifo(1);
    await until("it waits", 5000, async () => (await store.left(settled)) > 0);
    await store.take("relay-1", settled, 10, false);
    expect(await store.left(settled)).toBe(0);
    await until("its lease is over", 5000, async () => (await store.left(1)) > 0);
  });

  test("an event that its relay tries again is not left for another one", async () => {
    const store = newStore();
    for (const user of ["a", "b"]) await join(store, user);
    await store.pairFifo(1);
    await store.take("relay-1", settled, 10, false);
    await until("it is old", 5000, async () => (await store.left(1)) > 100);
    expect(await store.take("relay-1", settled, 10, true)).toHaveLength(1);
    expect(await store.left(100)).toBe(0);
  });

  test("a lease with a fraction of a millisecond is rounded", async () => {
    const store = newStore();
    expect(await store.take("relay-1", 1004.999, 10, false)).toEqual([]);
    expect(await store.left(1004.999)).toBe(0);
  });
});

test("whoever ends a ticket is told of it, once", async () => {
  const noted: unknown[] = [];
  const mode = { name: "casual", strategy: "fifo", ttl: 60_000 } as const;
  const store = modeStore(redis, `kenri:matchmaking:${crypto.randomUUID()}`, mode, 3_600_000, (name, { expired, invalid }) => {
    if (expired + invalid > 0) noted.push([name, expired, invalid]);
  });
  const [a, b, c] = [await join(store, "a"), await join(store, "b"), await join(store, "c")];
  for (const { ticketId } of [a, b, c]) await redis.send("HSET", store.key(`ticket:${ticketId}`), "expires_at", 1);
  for (let time = 0; time < 2; time++) await store.read(a.ticketId);
  await join(store, "b");
  await store.pairFifo(1);
  await redis.send("HDEL", store.key("live"), "b");
  await store.pairFifo(1);
  expect(noted).toEqual([
    ["casual", 1, 0],
    ["casual", 1, 0],
    ["casual", 1, 0],
    ["casual", 0, 1],
  ]);
  expect((await store.history()).totals).toEqual({ joined: "4", expired: "3", invalid: "1" });
});

describe("cancel and expire", () => {
  test("cancel: once, then the same answer; not another player's; not a matched one", async () => {
    const store = newStore();
    const a = await join(store, "a");
    expect((await store.cancel(a.ticketId, "b"))?.outcome).toBe("forbidden");
    expect((await store.cancel(a.ticketId, "a"))?.outcome).toBe("cancelled");
    expect((await store.cancel(a.ticketId, "a"))?.view?.fields.status).toBe("CANCELLED");
    expect(await store.cancel(Bun.randomUUIDv7(), "a")).toBeUndefined();
    const [b, c] = [await join(store, "b"), await join(store, "c")];
    await store.pairFifo(1);
    expect((await store.cancel(b.ticketId, "b"))?.view?.fields.status).toBe("MATCHED");
    expect(await statusOf(store, c.ticketId)).toBe("MATCHED");
    expect((await store.history()).totals).toEqual({ joined: "3", cancelled: "1", matched: "2", matches: "1" });
  });

  test("expire: ends what is past its time, by its own time, and counts it", async () => {
    const store = newStore();
    const [a, b] = [await join(store, "a"), await join(store, "b")];
    await redis.send("HSET", store.key(`ticket:${a.ticketId}`), "expires_at", 1);
    for (const { ticketId } of [a, b]) await redis.send("ZADD", store.key("expiries"), 1, ticketId);
    expect(await store.expire(10)).toEqual({ expired: 1, invalid: 0 });
    expect(await Promise.all([a, b].map(({ ticketId }) => statusOf(store, ticketId)))).toEqual(["EXPIRED", "QUEUED"]);
    expect(Number(await redis.send("ZSCORE", store.key("expiries"), b.ticketId))).toBeGreaterThan(Date.now());
    expect((await store.endedTickets())[0]).toMatchObject({ ticket_id: a.ticketId, user_id: "a", status: "EXPIRED" });
  });

  test("an ended ticket and its key are forgotten after the time to keep them", async () => {
    const store = newStore(60_000, 1000);
    const a = await join(store, "a", { key: "k" });
    expect(Number(await redis.send("PTTL", store.key(`ticket:${a.ticketId}`)))).toBe(-1);
    await store.cancel(a.ticketId, "a");
    for (const key of [`ticket:${a.ticketId}`, `join:${joinIdOf("a", "casual", "k")}`])
      expect(Number(await redis.send("PTTL", store.key(key)))).toBeGreaterThan(0);
  });
});

describe("erase", () => {
  const readOrdered = (key: string, kind: string) =>
    kind === "zset" ? redis.send("ZRANGE", key, 0, -1) : kind === "stream" ? redis.send("XRANGE", key, "-", "+") : kind;
  const all = async (store: ModeStore) => {
    const keys = await redis.send<string[]>("KEYS", `${store.key("")}*`);
    const read = async (key: string) => {
      const kind = await redis.send<string>("TYPE", key);
      return kind === "hash" ? redis.send("HGETALL", key) : kind === "list" ? redis.send("LRANGE", key, 0, -1) : readOrdered(key, kind);
    };
    return JSON.stringify(await Promise.all(keys.map(async key => [key, await read(key)])));
  };
  const settle = async (store: ModeStore, announce: boolean) => {
    const taken = await store.take("relay", 5000, 10, false);
    await store.published(taken.map(one => ({ ...one, seq: 1 })));
    if (announce) await store.announced(taken.map(({ matchId }) => matchId));
    return taken.map(({ matchId }) => matchId);
  };

  test("cancels the live ticket, waits for the announcement, then leaves no id but those of others, whose texts it may be a part of", async () => {
    const store = newStore();
    const [alice, bob] = [await join(store, "al"), await join(store, "alice")];
    await store.pairFifo(1);
    const live = await join(store, "al");
    expect(await store.erase("al", "erased-1")).toEqual({ waiting: 1, left: 0, changed: 0 });
    expect(await statusOf(store, live.ticketId)).toBe("CANCELLED");
    const matches = await settle(store, false);
    expect(await store.erase("al", "erased-1")).toEqual({ waiting: 1, left: 0, changed: 0 });
    await store.announced(matches);
    expect(await store.erase("al", "erased-1")).toMatchObject({ waiting: 0, left: 0, changed: 4 });
    expect((await store.read(bob.ticketId))!.fields).toMatchObject({ user_id: "alice", peer_user_ids: '["erased-1"]' });
    expect((await store.read(alice.ticketId))!.fields).toMatchObject({ user_id: "erased-1", peer_user_ids: '["alice"]', attributes: "{}" });
    expect(await all(store)).not.toMatch(/"al"|\\"al\\"|player:al"/);
    expect(await store.erase("al", "erased-1")).toEqual({ waiting: 0, left: 0, changed: 0 });
  });

  test("waits for a match that is not announced when its ticket is forgotten, and then until the match is", async () => {
    const store = newStore(60_000, 300);
    const tickets = [await join(store, "alice"), await join(store, "bob")];
    await store.pairFifo(1);
    const matches = await settle(store, false);
    await redis.send("DEL", store.key("player:alice"), ...tickets.map(({ ticketId }) => store.key(`ticket:${ticketId}`)));
    expect(await store.erase("alice", "erased-3")).toEqual({ waiting: 1, left: 0, changed: 0 });
    expect(await store.resend(matches)).toEqual(matches);
    expect((await store.erase("alice", "erased-3")).waiting).toBe(1);
    await settle(store, true);
    expect((await store.erase("alice", "erased-3")).left).toBeGreaterThan(0);
    await until("the match is forgotten", 5000, async () => (await store.erase("alice", "erased-3")).left === 0);
    expect(await all(store)).not.toContain("alice");
  });

  test("an event that was to be sent again is gone once its match is announced or void", async () => {
    const store = newStore();
    for (const name of ["a", "b", "c", "d"]) await join(store, name);
    await store.pairFifo(2);
    const [first, second] = await settle(store, false);
    await store.resend([first!, second!]);
    await store.announced([first!]);
    expect(await store.voidMatch({ matchId: second!, why: "test", players: await store.playersOf(second!) })).toBe(2);
    expect(await redis.send<number>("XLEN", store.key("events"))).toBe(0);
    expect(await redis.send<number>("EXISTS", store.key("open"))).toBe(0);
    expect(await store.take("relay", 0, 10, true)).toEqual([]);
  });

  test("is not done while older tickets than the listed ones may be kept", async () => {
    const store = newStore(60_000, 400);
    for (let n = 0; n < 12; n++) await store.cancel((await join(store, "alice", { key: `k${n}` })).ticketId, "alice");
    expect((await store.erase("alice", "erased-2")).left).toBeGreaterThan(0);
    await until("they are forgotten", 5000, async () => (await store.erase("alice", "erased-2")).left === 0);
    expect(await all(store)).not.toContain("alice");
  });
});
