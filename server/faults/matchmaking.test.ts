import { afterAll, beforeAll, describe, expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { testServer } from "../testing/databases.ts";
import { allTold, joinAll, matchFaults, queueOf, toldOf } from "../testing/matches.ts";
import { type TestMatchmaking, testMatchmaking } from "../testing/matchmaking.ts";
import { testRedis } from "../testing/redis.ts";
import { privateServers } from "../testing/servers.ts";

const settings = { MATCH_LEASE: "1s", MATCH_PUBLISH_WITHIN: "500ms", MATCH_OVERDUE: "2s", CONSUMER_ACK_WAIT: "2s" };
const notification = "notification:api notification:consumer notification:sender";
const players = (count: number, name = "player") => Array.from({ length: count }, (_, n) => `${name}-${n}`);

const pairsWait = (matchmaking: TestMatchmaking, count: number) =>
  until(`${count} matches wait for a relay`, 15_000, async () => (await queueOf(matchmaking)).unpublished === count);

async function allIsWell(matchmaking: TestMatchmaking, told: number): Promise<void> {
  await allTold(matchmaking);
  expect(await matchFaults(matchmaking)).toEqual([]);
  expect(await toldOf(matchmaking)).toHaveLength(told);
}

describe("one after the other, in one system", () => {
  let matchmaking: TestMatchmaking;
  let told = 0;
  beforeAll(async () => {
    matchmaking = await testMatchmaking(settings);
    // Everything but the relays, which the tests start.
    await matchmaking.kenri.start(`matchmaking:api matchmaking:matcher ${notification}`);
  });
  afterAll(() => matchmaking.close());

  /** Twenty players are paired, and wait for a relay. */
  async function tenPairs(name: string): Promise<void> {
    await joinAll(matchmaking, players(20, name));
    await pairsWait(matchmaking, 10);
    told += 20;
  }
  /** Another relay finishes the work, and ends. */
  async function isFinished(): Promise<void> {
    const next = await matchmaking.kenri.start("matchmaking:relay");
    await allIsWell(matchmaking, told);
    await next.stop();
  }

  test("a relay killed between pairing and publishing: the next one publishes its matches, each is told once", async () => {
    await tenPairs("taken");
    const victim = await matchmaking.kenri.start("matchmaking:relay", { FAULT_KILL_AT: "matchmaking.taken" });
    await victim.killedItself();
    expect(await toldOf(matchmaking)).toHaveLength(told - 20);
    expect((await queueOf(matchmaking)).unpublished).toBe(10);
    await isFinished();
  });

  test("a relay killed between the PubAck and its settlement: the matches are published again, and each is told once", async () => {
    await tenPairs("published");
    const victim = await matchmaking.kenri.start("matchmaking:relay", { FAULT_KILL_AT: "matchmaking.published" });
    await victim.killedItself();
    expect((await queueOf(matchmaking)).unpublished).toBe(10); // published, and nobody has noted it
    await isFinished();
  });

  test("a relay that is stopped past its lease settles nothing that another one has settled", async () => {
    await tenPairs("stopped");
    const zombie = await matchmaking.kenri.start("matchmaking:relay", { FAULT_STOP_AT: "matchmaking.taken" });
    await zombie.hung();
    await isFinished();
    zombie.kill("SIGCONT");
    await zombie.logged("match.fenced");
    await allIsWell(matchmaking, told);
  });
});

test.concurrent("outside the duplicate window the second message is stored and consumed as a duplicate", async () => {
  const matchmaking = await testMatchmaking({ ...settings, STREAM_DUPLICATE_WINDOW: "100ms" });
  closeAtEnd(matchmaking.close);
  await matchmaking.kenri.start(`matchmaking:api matchmaking:matcher`);
  const others = await matchmaking.kenri.start(notification);
  await joinAll(matchmaking, players(20));
  await pairsWait(matchmaking, 10);
  const victim = await matchmaking.kenri.start("matchmaking:relay", { FAULT_KILL_AT: "matchmaking.published" });
  await victim.killedItself();
  await until("the first messages are consumed", 15_000, async () => (await toldOf(matchmaking)).length === 20);
  await matchmaking.kenri.start("matchmaking:relay");
  await allIsWell(matchmaking, 20);
  await until("the second ones too", 15_000, async () => (await others.metric("kenri_intake_events_total", 'outcome="duplicate"')) > 0);
});

test.concurrent("a matcher killed after a pair is made: its matches are told, and another matcher goes on", async () => {
  const matchmaking = await testMatchmaking(settings);
  closeAtEnd(matchmaking.close);
  await matchmaking.kenri.start(`matchmaking:api matchmaking:relay ${notification}`);
  await joinAll(matchmaking, players(10));
  const victim = await matchmaking.kenri.start("matchmaking:matcher", { FAULT_KILL_AT: "matchmaking.paired" });
  await victim.killedItself();
  await joinAll(matchmaking, players(11, "later"));
  await matchmaking.kenri.start("matchmaking:matcher");
  await allIsWell(matchmaking, 20);
  expect((await queueOf(matchmaking)).waiting).toBe(1);
});

test.concurrent("a worker whose work stands still ends, and its matches go on", async () => {
  const matchmaking = await testMatchmaking({ ...settings, LIVENESS_EVERY: "100ms", LIVENESS_LOOKS: "10", SHUTDOWN_WITHIN: "3s" });
  closeAtEnd(matchmaking.close);
  await matchmaking.kenri.start(`matchmaking:api matchmaking:matcher ${notification}`);
  await joinAll(matchmaking, players(4));
  const stuck = await matchmaking.kenri.start("matchmaking:relay", { FAULT_STUCK_ROLE: "matchmaking:relay" });
  expect(await stuck.exited).toBe(1);
  await matchmaking.kenri.start("matchmaking:relay");
  await allIsWell(matchmaking, 4);
});

test.concurrent("a relay whose matches are refused goes on trying, and does not end", async () => {
  const matchmaking = await testMatchmaking({ ...settings, LIVENESS_EVERY: "100ms", LIVENESS_LOOKS: "20" });
  closeAtEnd(matchmaking.close);
  await matchmaking.kenri.start(`matchmaking:api matchmaking:matcher ${notification}`);
  await joinAll(matchmaking, players(2, "refused"));
  const relay = await matchmaking.kenri.start("matchmaking:relay", { FAULT_USER_PREFIX: "refused" });
  let ended = false;
  relay.exited.then(() => {
    ended = true;
  });
  await until(
    "it was refused for longer than a stuck worker lives",
    15_000,
    async () => ended || (await relay.metric("kenri_match_publish_attempts_total", 'outcome="failed"')) >= 5,
  );
  expect(ended).toBe(false);
  await joinAll(matchmaking, players(2));
  await until("the others are told", 15_000, async () => (await toldOf(matchmaking)).length === 2);
});

test.concurrent("a mode that stands still is noticed although another one moves", async () => {
  const modes = "casual:fifo:5m,busy:fifo:200ms";
  const matchmaking = await testMatchmaking({ ...settings, LIVENESS_EVERY: "100ms", LIVENESS_LOOKS: "20", MATCHMAKING_MODES: modes });
  closeAtEnd(matchmaking.close);
  await matchmaking.kenri.start("matchmaking:api");
  await joinAll(matchmaking, players(2));
  const redis = await testRedis();
  closeAtEnd(redis.stop);
  const live = `${matchmaking.kenri.environment.MATCHMAKING_PREFIX}:{casual}:live`;
  await redis.send("DEL", live);
  await redis.send("SET", live, "planted"); // every call of the matcher of this mode fails
  const matcher = await matchmaking.kenri.start("matchmaking:matcher");
  let code: number | undefined;
  matcher.exited.then(ended => {
    code = ended;
  });
  let turn = 0;
  await until("it ends, while pairs are made in the other mode", 15_000, async () => {
    await joinAll(matchmaking, players(2, `turn-${turn++}`), { mode: "busy" });
    return code !== undefined;
  });
  expect(code).toBe(1);
  expect(matcher.lines.some(line => line.includes("worker.stuck") && line.includes("casual"))).toBe(true);
});

async function withOwnNats() {
  const servers = await privateServers("nats");
  const matchmaking = await testMatchmaking(settings, {
    postgresUrl: testServer(),
    natsUrl: servers.nats.url,
    redisUrl: process.env.KENRI_TEST_REDIS_URL!,
  });
  closeAtEnd(async () => {
    await matchmaking.close();
    await servers.stop();
  });
  return { matchmaking, nats: servers.nats };
}

test.concurrent("JetStream away for several leases: players are paired meanwhile, and told when it is back", async () => {
  const { matchmaking, nats } = await withOwnNats();
  await matchmaking.kenri.start(`matchmaking:api matchmaking:matcher matchmaking:relay ${notification}`);
  await joinAll(matchmaking, players(10));
  await allIsWell(matchmaking, 10);
  await nats.halt();
  const since = performance.now();
  await joinAll(matchmaking, players(20, "away"));
  await pairsWait(matchmaking, 10);
  await until("several leases have passed", 15_000, () => performance.now() - since > 4000);
  expect((await queueOf(matchmaking)).unpublished).toBe(10);
  await nats.start();
  await allIsWell(matchmaking, 30);
});

test.concurrent("JetStream's store is wiped before notification has consumed: every match is published again and told once", async () => {
  const { matchmaking, nats } = await withOwnNats();
  await matchmaking.kenri.start("matchmaking:api matchmaking:matcher matchmaking:relay notification:api");
  await joinAll(matchmaking, players(20));
  await until("all are published", 15_000, async () => {
    const { unpublished, unconfirmed } = await queueOf(matchmaking);
    return unpublished === 0 && unconfirmed === 10;
  });
  await nats.halt();
  nats.wipe();
  await nats.start();
  await matchmaking.kenri.start("notification:consumer notification:sender");
  await allIsWell(matchmaking, 20);
  const { matches } = await matchmaking.ops<{ matches: { publish_generation: number }[] }>("matches");
  expect(matches.every(({ publish_generation }) => publish_generation > 0)).toBe(true);
});

async function withOwnRedis(more: Record<string, string> = {}) {
  const servers = await privateServers("redis");
  const matchmaking = await testMatchmaking(
    { ...settings, ...more },
    { postgresUrl: testServer(), natsUrl: process.env.KENRI_TEST_NATS_URL!, redisUrl: servers.redis.url },
  );
  closeAtEnd(async () => {
    await matchmaking.close();
    await servers.stop();
  });
  return { matchmaking, redis: servers.redis, dir: servers.dir };
}

const running = `matchmaking:api matchmaking:matcher matchmaking:relay ${notification}`;

test.concurrent("Redis away: 503 with Retry-After within the deadline, and nothing half done; killed under load it loses nothing", async () => {
  const { matchmaking, redis } = await withOwnRedis();
  await matchmaking.kenri.start(running);
  const joining = joinAll(matchmaking, players(400), { clients: 4 });
  await until("some are told", 15_000, async () => (await toldOf(matchmaking)).length > 20);
  await redis.halt();
  const since = performance.now();
  const refused = await matchmaking.tryJoin("late");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(performance.now() - since).toBeLessThan(2000);
  const health = await matchmaking.kenri.readiness("matchmaking");
  expect(health.status).toBe("unavailable");
  await redis.start();
  const tickets = await joining;
  expect(tickets.size).toBe(400);
  await allIsWell(matchmaking, 400);
  await matchmaking.join("late", { key: "join-late" });
  expect((await queueOf(matchmaking)).waiting).toBe(1);
});

test.concurrent("after FLUSHALL lost tickets say so, and players can queue again and are told", async () => {
  const { matchmaking, redis } = await withOwnRedis();
  await matchmaking.kenri.start(running);
  await joinAll(matchmaking, players(2, "before"));
  await allIsWell(matchmaking, 2);
  const { ticket_id } = await matchmaking.join("lost");
  await flush(redis.url);
  const answer = await matchmaking.ask("lost", "GET", `/v1/matchmaking/tickets/${ticket_id}`);
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, "TICKET_LOST"]);
  await joinAll(matchmaking, ["lost", ...players(3, "after")]);
  await allTold(matchmaking);
  expect((await toldOf(matchmaking)).map(({ user_id }) => user_id).sort()).toEqual([
    "after-0",
    "after-1",
    "after-2",
    "before-0",
    "before-1",
    "lost",
  ]);
});

async function flush(url: string): Promise<void> {
  const client = new Bun.RedisClient(url);
  await client.send("FLUSHALL", []);
  await client.send("SCRIPT", ["FLUSH"]);
  client.close();
}
