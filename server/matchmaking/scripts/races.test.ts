import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Redis } from "../../kernel/redis/redis.ts";
import { seeded } from "../../testing/random.ts";
import { testRedis } from "../../testing/redis.ts";
import { forEach, joinOf, joinStore, matchesOf, redisTime } from "../../testing/tickets.ts";
import { type ModeStore, modeStore } from "../mode_store.ts";
import { type Strategy, strategies } from "../modes.ts";
import { highestRating } from "../tickets/rating.ts";

let connections: Redis[];
beforeAll(async () => {
  connections = await Promise.all(Array.from({ length: 8 }, () => testRedis()));
});
afterAll(() => Promise.all(connections.map(one => one.stop())));

const ttl = 600_000;

/** The same mode over each connection. */
function newStores(strategy: Strategy = "fifo"): ModeStore[] {
  const prefix = `kenri:matchmaking:${crypto.randomUUID()}`;
  return connections.map(redis => modeStore(redis, prefix, { name: "race", strategy, ttl }, 3_600_000));
}

const walk = { window: highestRating, range: highestRating, opens: 20_000, looks: 20 };

/** A matcher: pairs a few at a time until `isOver`. */
async function pairUntil(store: ModeStore, isOver: () => boolean): Promise<void> {
  let from = 0;
  do {
    const made = store.mode.strategy === "fifo" ? await store.pairFifo(2) : await store.pairByRating(2, { ...walk, from });
    from = made.from;
  } while (!isOver());
}

/** Calls `work` for the items from several lanes, one after the other in each. */
async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T, lane: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (number: number) => {
    while (next < items.length) await work(items[next++]!, number);
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
}

interface Player {
  readonly userId: string;
  readonly ticketId: string;
}

async function joinMany(store: ModeStore, count: number): Promise<Player[]> {
  const users = Array.from({ length: count }, (_, n) => `u${n}`);
  return await forEach(users, async userId => ({ userId, ticketId: (await joinStore(store, userId, { rating: 1000 })).ticketId }));
}

function shuffled<T>(items: readonly T[], random: (below: number) => number): T[] {
  const all = [...items];
  for (let n = all.length - 1; n > 0; n--) {
    const other = random(n + 1);
    [all[n], all[other]] = [all[other]!, all[n]!];
  }
  return all;
}

/** Tickets by status. Each MATCHED one has to be in exactly one match, and no other one in any; the totals have to agree. */
async function conserved(store: ModeStore, players: readonly Player[]): Promise<Map<string, Set<string>>> {
  const byStatus = new Map<string, Set<string>>();
  for (const { ticketId } of players) {
    const { status = "" } = (await store.read(ticketId))!.fields;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(ticketId));
  }
  const inMatches = (await matchesOf(connections[0]!, store)).flatMap(({ facts }) => facts.players.map(({ ticket_id }) => ticket_id));
  expect(inMatches.toSorted()).toEqual([...(byStatus.get("MATCHED") ?? [])].sort());
  const { waiting } = await store.depth();
  const { totals } = await store.history();
  const count = (name: string) => Number(totals[name] ?? 0);
  expect(count("joined")).toBe(players.length);
  for (const status of ["MATCHED", "CANCELLED", "EXPIRED"]) expect(count(status.toLowerCase())).toBe(byStatus.get(status)?.size ?? 0);
  expect(waiting).toBe(byStatus.get("QUEUED")?.size ?? 0);
  expect(count("joined")).toBe(count("matched") + count("cancelled") + count("expired") + waiting);
  for (const index of ["expiries", "live"]) expect(await sizeOf(store, index)).toBe(waiting);
  return byStatus;
}

const sizeOf = (store: ModeStore, index: string) => connections[0]!.send<number>(index === "live" ? "HLEN" : "ZCARD", store.key(index));

describe("joins at the same time", () => {
  test("50 with one idempotency_key make one ticket", async () => {
    const stores = newStores();
    const joins = await Promise.all(Array.from({ length: 50 }, (_, n) => joinStore(stores[n % stores.length]!, "alice", { key: "k" })));
    expect(joins.filter(({ outcome }) => outcome === "joined")).toHaveLength(1);
    expect(joins.filter(({ outcome }) => outcome === "replayed")).toHaveLength(49);
    expect(new Set(joins.map(({ ticketId }) => ticketId)).size).toBe(1);
    expect((await stores[0]!.depth()).waiting).toBe(1);
  });

  test("50 of one user with different keys make one ticket, which the others are answered with", async () => {
    const stores = newStores();
    const joins = await Promise.all(Array.from({ length: 50 }, (_, n) => joinStore(stores[n % stores.length]!, "alice")));
    const [joined] = joins.filter(({ outcome }) => outcome === "joined");
    const refused = joins.filter(({ outcome }) => outcome === "already_queued");
    expect(refused).toHaveLength(49);
    expect(new Set(refused.map(({ ticketId }) => ticketId))).toEqual(new Set([joined!.ticketId]));
    expect((await stores[0]!.depth()).waiting).toBe(1);
    expect((await stores[0]!.history()).totals).toEqual({ joined: "1" });
  });

  test("repetitions of a join beside pairing get the ticket, and never a second one", async () => {
    const stores = newStores();
    const requests = Array.from({ length: 200 }, (_, n) => joinOf("race", `u${n}`));
    const matchers = stores.slice(4);
    let isOver = false;
    const pairing = matchers.map(store => pairUntil(store, () => isOver));
    const answers = new Map<string, Set<string>>();
    await inLanes([...requests, ...requests, ...requests], 4, async (request, lane) => {
      const { outcome, ticketId } = await stores[lane]!.join({ ...request, ticketId: Bun.randomUUIDv7() });
      expect(["joined", "replayed"]).toContain(outcome);
      answers.set(request.userId, (answers.get(request.userId) ?? new Set()).add(ticketId));
    });
    isOver = true;
    await Promise.all(pairing);
    expect([...answers.values()].every(({ size }) => size === 1)).toBe(true);
    await conserved(
      stores[0]!,
      [...answers].map(([userId, [ticketId]]) => ({ userId, ticketId: ticketId! })),
    );
  });
});

describe.each(strategies)("pairing by %s", strategy => {
  test("against 1,000 cancels: each ticket is either cancelled or matched, and a cancelled one is in no match", async () => {
    const stores = newStores(strategy);
    const players = await joinMany(stores[0]!, 1000);
    const outcomes = new Map<string, string>();
    let isOver = false;
    const pairing = stores.slice(4).map(store => pairUntil(store, () => isOver));
    await inLanes(shuffled(players, seeded(41)), 4, async ({ userId, ticketId }, lane) => {
      const { outcome, view } = (await stores[lane]!.cancel(ticketId, userId))!;
      outcomes.set(ticketId, outcome === "cancelled" ? "CANCELLED" : view!.fields.status!);
    });
    isOver = true;
    await Promise.all(pairing);
    const byStatus = await conserved(stores[0]!, players);
    expect([...byStatus.keys()].sort()).toEqual(["CANCELLED", "MATCHED"]);
    // The race was one: both sides won often.
    for (const ids of byStatus.values()) expect(ids.size).toBeGreaterThan(50);
    // Nobody was told another outcome than the one that holds.
    for (const [ticketId, outcome] of outcomes) expect(byStatus.get(outcome)?.has(ticketId)).toBe(true);
  });

  test("against expiry: each ticket is either expired or matched, and a matched one was paired before its expiry", async () => {
    const stores = newStores(strategy);
    const players = await joinMany(stores[0]!, 1000);
    const random = seeded(43);
    const now = await redisTime(connections[0]!);
    // A third has expired before, a third expires meanwhile, and a third later.
    const expiresAt = new Map(players.map(({ ticketId }) => [ticketId, now + [-1, random(400), ttl][random(3)]!]));
    await forEach([...expiresAt], async ([ticketId, at]) => {
      await connections[0]!.send("HSET", stores[0]!.key(`ticket:${ticketId}`), "expires_at", at);
      await connections[0]!.send("ZADD", stores[0]!.key("expiries"), at, ticketId);
    });
    let isOver = false;
    const pairing = stores.slice(4).map(store => pairUntil(store, () => isOver));
    const deadline = performance.now() + 20_000;
    const expiring = stores.slice(0, 4).map(async store => {
      do await store.expire(2);
      while ((await sizeOf(store, "queue")) > 1 && performance.now() < deadline);
    });
    await Promise.all(expiring);
    isOver = true;
    await Promise.all(pairing);
    const byStatus = await conserved(stores[0]!, players);
    expect(byStatus.get("QUEUED")?.size ?? 0).toBeLessThanOrEqual(1);
    for (const status of ["EXPIRED", "MATCHED"]) expect(byStatus.get(status)?.size).toBeGreaterThan(50);
    for (const { facts } of await matchesOf(connections[0]!, stores[0]!))
      for (const { ticket_id } of facts.players) expect(expiresAt.get(ticket_id)!).toBeGreaterThan(facts.paired_at);
  });
});
