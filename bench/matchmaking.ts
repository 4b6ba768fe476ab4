import type { Redis } from "../server/kernel/redis/redis.ts";
import { modeStore } from "../server/matchmaking/mode_store.ts";
import { type Strategy, strategies } from "../server/matchmaking/modes.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { testRedis } from "../server/testing/redis.ts";
import { privateServers } from "../server/testing/servers.ts";
import { matchesOf } from "../server/testing/tickets.ts";
import { until } from "../stack/wait.ts";
import { matchApi } from "./match_api.ts";
import { batch, matchSteps } from "./match_steps.ts";
import { type Figure, ms, percentile, perSecond, throughput, timesInTurns } from "./measure.ts";
import { timeToMatch } from "./time_to_match.ts";

const [small, large] = [1_000, 100_000];
const rounds = 120;
const warm = 20;
const drained = 10_000;
const joined = 3_000;
const atOnce = 64;
const passes = 3;
/** Nobody expires during a measurement, and everything is kept. */
const hour = 3_600_000;

/** Pairing with many and with few waiting, and the service compared with the bare scripts. */
export async function matchmaking(kenri: TestKenri, servers: { readonly redis: { readonly url: string } }): Promise<Figure[]> {
  const redis = await testRedis(servers.redis.url);
  try {
    return [...(await sizes()), ...(await draining(kenri, redis)), ...(await joining(kenri, redis)), ...(await timeToMatch(kenri, redis))];
  } finally {
    await redis.stop();
  }
}

/** Two servers, one with few tickets and one with many, in turns, so that other load on the machine affects both. */
async function sizes(): Promise<Figure[]> {
  const servers = await Promise.all([privateServers("redis"), privateServers("redis")]);
  const clients = await Promise.all(servers.map(({ redis }) => testRedis(redis.url)));
  try {
    // A server that rewrites its file meanwhile would be measured together with its copy.
    for (const client of clients) await client.send("CONFIG", "SET", "auto-aof-rewrite-percentage", 0);
    const figures: Figure[] = [];
    for (const strategy of strategies) figures.push(await sizesBy(strategy, clients[0]!, clients[1]!));
    return figures;
  } finally {
    await Promise.all(clients.map(client => client.stop()));
    await Promise.all(servers.map(server => server.stop()));
  }
}

async function sizesBy(strategy: Strategy, few: Redis, many: Redis): Promise<Figure> {
  const steps = (redis: Redis) => matchSteps(modeStore(redis, "bench", { name: strategy, strategy, ttl: hour }, hour));
  const [base, other] = [steps(few), steps(many)];
  await base.fill(small);
  await other.fill(large);
  const times = await timesInTurns(rounds, warm, base.pairTime, other.pairTime);
  const [reference, time] = times.map(one => percentile(one, 50)) as [number, number];
  const rate = (took: number) => `${perSecond((batch * 1000) / took)}, ${ms(took)} for ${batch}`;
  return {
    what: `pairs by ${strategy}, 100k waiting`,
    value: rate(time),
    against: `1k waiting: ${rate(reference)}`,
    ratio: time / reference,
    goal: "≤ 1.5",
  };
}

/** The matcher as a process of its own, compared with its script called in a loop. */
async function draining(kenri: TestKenri, redis: Redis): Promise<Figure[]> {
  const rates: { readonly bare: number; readonly matcher: number }[] = [];
  for (let pass = 0; pass < passes; pass++) {
    const steps = (prefix: string) => {
      const store = modeStore(redis, prefix, { name: "casual", strategy: "fifo", ttl: hour }, hour);
      return { store, ...matchSteps(store) };
    };
    const bare = steps(`bench:bare:${pass}`);
    await bare.fill(drained);
    Bun.gc(true);
    const bareRate = await bare.drainRate();
    const prefix = `bench:matcher:${pass}`;
    const { store, fill } = steps(prefix);
    await fill(drained);
    const matcher = await kenri.start("matchmaking:matcher", { MATCHMAKING_PREFIX: prefix, LOG_LEVEL: "warn" });
    await until("nobody waits", 60_000, async () => (await store.depth()).waiting === 0, 100);
    await matcher.stop();
    rates.push({ bare: bareRate, matcher: await rateOf(redis, store) });
  }
  const mean = (of: "bare" | "matcher") => rates.reduce((sum, one) => sum + one[of], 0) / passes;
  return [
    {
      what: "pairs of the matcher, fifo",
      value: perSecond(mean("matcher")),
      against: `the script called in a loop: ${perSecond(mean("bare"))}`,
      ratio: mean("matcher") / mean("bare"),
      goal: "",
    },
  ];
}

/** Pairs per second by the clock of Redis, without the first tenth. */
async function rateOf(redis: Redis, store: Parameters<typeof matchesOf>[1]): Promise<number> {
  const times = (await matchesOf(redis, store)).map(({ facts }) => facts.paired_at).slice(drained / 20);
  return ((times.length - 1) * 1000) / (times.at(-1)! - times[0]!);
}

/** Joins through HTTP, compared with the script. Nobody pairs meanwhile. */
async function joining(kenri: TestKenri, redis: Redis): Promise<Figure[]> {
  const api = await matchApi(kenri, "matchmaking:api");
  const bare = matchSteps(modeStore(redis, "bench:joins", { name: "casual", strategy: "fifo", ttl: hour }, hour));
  const rates = { http: 0, bare: 0 };
  for (let pass = 0; pass <= passes; pass++) {
    const players = await api.players(`join-${pass}`, joined);
    const [direct, http] = [await throughput(atOnce, joined, bare.join), await throughput(atOnce, joined, n => api.join(players[n]!))];
    // The first pass warms up.
    if (pass > 0) {
      rates.bare += direct / passes;
      rates.http += http / passes;
    }
  }
  await api.stop();
  return [
    {
      what: `joins through HTTP, ${atOnce} at once`,
      value: perSecond(rates.http),
      against: `the script, ${atOnce} at once: ${perSecond(rates.bare)}`,
      ratio: rates.http / rates.bare,
      goal: "",
    },
  ];
}
