import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { Redis, Script } from "../../kernel/redis/redis.ts";
import { type RedisCluster, redisCluster } from "../../testing/redis_cluster.ts";
import { joinStore } from "../../testing/tickets.ts";
import { matchmakingSettings } from "../config.ts";
import { type ModeStore, modeStore } from "../mode_store.ts";
import { readModes } from "../modes.ts";
import { eraseOperator } from "../operator/erase_operator.ts";
import { pauseStore } from "../operator/pause_store.ts";
import { streamRecord } from "../outbox/stream_record.ts";
import { highestRating } from "../tickets/rating.ts";
import { workerRecords } from "../worker_records.ts";

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await redisCluster();
});
afterAll(() => cluster.stop());

/** The connection, which records the scripts that it runs and all keys: those that it is given, and those that there are after each script. */
function recorded(redis: Redis): { readonly redis: Redis; readonly scripts: Set<string>; readonly keys: Set<string> } {
  const scripts = new Set<string>();
  const keys = new Set<string>();
  return {
    scripts,
    keys,
    redis: {
      ...redis,
      send(command, key, ...args) {
        keys.add(String(key));
        return redis.send(command, key!, ...args);
      },
      async run<T>(script: Script, given: readonly string[], args: readonly (string | number)[]): Promise<T> {
        const answer = await redis.run<T>(script, given, args);
        scripts.add(`${script.name}.lua`);
        for (const key of [...given, ...(await cluster.allKeys())]) keys.add(key);
        return answer;
      },
    },
  };
}

/** The keys that are not in the slot of the mode. */
async function strays(mode: string, keys: Iterable<string>): Promise<string[]> {
  const slot = await cluster.slotOf(`{${mode}}`);
  const slots = await Promise.all([...keys].map(async key => ({ key, slot: await cluster.slotOf(key) })));
  return slots.filter(one => one.slot !== slot).map(({ key }) => key);
}

const walk = { window: 100, range: highestRating, opens: 20_000, looks: 100, from: 0 };

/** Runs every script of a mode, each with something to do. */
async function liveThrough(store: ModeStore): Promise<void> {
  const join = (userId: string, key?: string) => joinStore(store, userId, { rating: 1000, ...(key === undefined ? {} : { key }) });
  const pair = () => (store.mode.strategy === "fifo" ? store.pairFifo(5) : store.pairByRating(5, walk));
  const match = async () => {
    for (const user of ["b", "c"]) await join(`${user}{${crypto.randomUUID()}}`);
    expect((await pair()).waits.length).toBe(2);
    return (await store.take("relay-1", 5000, 10, false))[0]!;
  };
  const publish = async () => {
    const entry = await match();
    expect(await store.published([{ ...entry, seq: 1 }])).toEqual([entry.matchId]);
    return entry.matchId;
  };

  // Braces in the id of a user are no hash tag: the tag of the mode comes first.
  const user = "a{another}";
  expect((await join(user, "k")).outcome).toBe("joined");
  const again = await join(user, "k");
  expect(again.outcome).toBe("replayed");
  expect((await store.read(again.ticketId))?.fields.status).toBe("QUEUED");
  expect((await store.queue()).waiting).toBe(1);
  expect((await store.cancel(again.ticketId, user))?.outcome).toBe("cancelled");
  expect((await store.ticketsOf(user)).length).toBe(1);

  expect(await store.erase(user, "erased-1")).toEqual({ waiting: 0, left: 0, changed: 1 });

  const announced = await publish();
  expect((await store.unannounced(0, 10)).map(({ matchId }) => matchId)).toEqual([announced]);
  expect(await store.publishedBefore(Number.MAX_SAFE_INTEGER, 10)).toEqual([announced]);
  expect(await store.announced([announced])).toEqual([announced]);

  expect(await store.resend([await publish()])).toHaveLength(1);
  const [sentAgain] = await store.take("relay-1", 5000, 10, false);
  expect(await store.notPublished([{ matchId: sentAgain!.matchId, why: "no answer" }])).toBe(1);
  const players = await store.playersOf(sentAgain!.matchId);
  expect(await store.voidMatch({ matchId: sentAgain!.matchId, entry: sentAgain!.entry, why: "test", players })).toBe(2);

  const { ticketId } = await join("late");
  await cluster.redis.send("HSET", store.key(`ticket:${ticketId}`), "expires_at", 1);
  await cluster.redis.send("ZADD", store.key("expiries"), 1, ticketId);
  expect(await store.expire(10)).toEqual({ expired: 1, invalid: 0 });
  expect((await store.endedTickets()).length).toBe(1);
  expect((await store.recentMatches(10)).length).toBe(2);
  expect((await store.depth()).waiting).toBe(2);
  expect((await store.history()).totals.joined).toBe("6");
  expect(await store.left(5000)).toBe(0);
  expect(await store.forgetRelays(-1)).toBe(1);
}

describe("in a Redis Cluster", () => {
  const modes = readModes(matchmakingSettings.modes.preset!)!;
  const prefix = "kenri:matchmaking";

  test("every script of every mode runs, and all keys of a mode are in one slot", async () => {
    const run = new Set<string>();
    for (const mode of modes.values()) {
      await cluster.redis.send("FLUSHALL");
      const { redis, scripts, keys } = recorded(cluster.redis);
      await liveThrough(modeStore(redis, prefix, mode, 3_600_000));
      expect(keys.size).toBeGreaterThan(20);
      expect(await strays(mode.name, keys)).toEqual([]);
      for (const script of scripts) run.add(script);
    }
    const { redis, scripts } = recorded(cluster.redis);
    const record = streamRecord(redis, prefix, []);
    expect(await record.observe({ incarnation: "one", lastSeq: 1, knownLastSeq: 1 })).toEqual({ lost: false, resendBefore: null });
    expect(await record.read()).toEqual({ lastSeq: 1, resendBefore: null });
    const workers = workerRecords(redis, prefix);
    await workers.report({ worker: "w", role: "matchmaking:relay", version: "1", parts: {} });
    expect((await workers.list()).map(({ worker }) => worker)).toEqual(["w"]);
    const pauses = pauseStore(redis, prefix);
    const who = { role: "matchmaking:relay", actor: "user:one", reason: "test" };
    expect([await pauses.pause(who), (await pauses.list()).length, await pauses.resume(who)]).toEqual([1, 1, 1]);
    expect(await eraseOperator(redis, prefix)({ user_id: "one", pseudonym: "erased-1", emails: [] })).toBe(2);
    for (const script of scripts) run.add(script);
    const folder = readdirSync(import.meta.dir).filter(file => file.endsWith(".lua") && file !== "mode.lua");
    expect([...run].sort()).toEqual(folder.sort());
  });

  test("a key without the mode's hash tag would be noticed", async () => {
    const { redis, keys } = recorded(cluster.redis);
    const text = "redis.call('SET', KEYS[1] .. ':a', 1) redis.call('SET', 'kenri:matchmaking:casual:b', 1)";
    await redis.run({ name: "test", text, sha: new Bun.CryptoHasher("sha1").update(text).digest("hex") }, [`${prefix}:{casual}`], []);
    expect(await strays("casual", keys)).toContain("kenri:matchmaking:casual:b");
  });
});
