import type { Redis } from "../server/kernel/redis/redis.ts";
import { type ModeStore, modeStore } from "../server/matchmaking/mode_store.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { seeded } from "../server/testing/random.ts";
import { forEach } from "../server/testing/tickets.ts";
import { until } from "../stack/wait.ts";
import { matchApi } from "./match_api.ts";
import { matchSteps } from "./match_steps.ts";
import { type Figure, ms, percentile } from "./measure.ts";

const perSecond = 200;
const arrivals = 400;
// The first one warms up.
const passes = 5;
const hour = 3_600_000;

/** When each player comes, in milliseconds: random gaps, the same in every run and for both. */
function schedule(pass: number): number[] {
  const random = seeded(5 + pass);
  let at = 0;
  return Array.from({ length: arrivals }, () => {
    at -= (Math.log((random(1_000_000) + 1) / 1_000_001) * 1000) / perSecond;
    return at;
  });
}

/** Players come at a steady rate: through HTTP with matcher and relay, compared with the scripts called directly as soon as a player comes. */
export async function timeToMatch(kenri: TestKenri, redis: Redis): Promise<Figure[]> {
  const store = (prefix: string) => modeStore(redis, prefix, { name: "casual", strategy: "fifo", ttl: hour }, hour);
  const bareStore = store("bench:steady");
  const bare = matchSteps(bareStore);
  const directly = async () => {
    const { ticketId } = await bare.join();
    await bare.pair();
    return ticketId;
  };
  const api = await matchApi(kenri, "matchmaking");
  const own = store(kenri.environment.MATCHMAKING_PREFIX!);
  const [direct, through]: [Times, Times] = [noTimes(), noTimes()];
  for (let pass = 0; pass < passes; pass++) {
    const players = await api.players(`steady-${pass}`, arrivals);
    const times = [
      await measured(redis, bareStore, pass, directly),
      await measured(redis, own, pass, async n => (await api.join(players[n]!)).ticket_id),
    ] as const;
    if (pass === 0) continue;
    for (const of of ["each", "second"] as const) {
      direct[of].push(...times[0][of]);
      through[of].push(...times[1][of]);
    }
  }
  await api.stop();
  const figure = (what: string, of: keyof Times, p: number): Figure => {
    const [time, reference] = [percentile(through[of], p), percentile(direct[of], p)];
    return {
      what: `${what}, p${p}`,
      value: ms(time),
      against: `join and pair, bare, at the same arrival: ${ms(reference)}`,
      ratio: time / reference,
      goal: "",
    };
  };
  return [
    figure(`request to join → paired, ${perSecond} joins a second`, "each", 50),
    figure(`request to join → paired, ${perSecond} joins a second`, "each", 99),
    figure("request of the second player → paired", "second", 50),
    figure("request of the second player → paired", "second", 99),
  ];
}

interface Times {
  /** From a player's request to the pair. */
  readonly each: number[];
  /** From the request of the later one of the two players. */
  readonly second: number[];
}

const noTimes = (): Times => ({ each: [], second: [] });

/** `join` sends a request and returns the ticket. */
async function measured(redis: Redis, store: ModeStore, pass: number, join: (n: number) => Promise<string>): Promise<Times> {
  // Otherwise the bare steps wait for the memory that earlier measurements of this process left.
  Bun.gc(true);
  const offset = await clockOffset(redis);
  const since = performance.now();
  const under = schedule(pass).map(async (at, n) => {
    await Bun.sleep(Math.max(0, since + at - performance.now()));
    const sent = performance.now() + offset;
    return { sent, ticketId: await join(n) };
  });
  const requests = await Promise.all(under);
  await until("all are paired", 10_000, async () => (await store.depth()).waiting <= 1, 100);
  const matches = new Map<string, { readonly sent: number; readonly paired: number }[]>();
  await forEach(requests, async ({ sent, ticketId }) => {
    const { match_id = "", ended_at } = (await store.read(ticketId))!.fields;
    // The time of a pair is in whole milliseconds, rounded down.
    matches.set(match_id, [...(matches.get(match_id) ?? []), { sent, paired: Number(ended_at) + 0.5 }]);
  });
  matches.delete("");
  const players = [...matches.values()];
  return {
    each: players.flat().map(({ sent, paired }) => paired - sent),
    second: players.filter(({ length }) => length === 2).map(both => both[0]!.paired - Math.max(...both.map(({ sent }) => sent))),
  };
}

/** How far the clock of Redis is ahead of `performance.now()`, by the quickest of several answers. */
async function clockOffset(redis: Redis): Promise<number> {
  let [best, offset] = [Number.POSITIVE_INFINITY, 0];
  for (let n = 0; n < 50; n++) {
    const since = performance.now();
    const [seconds, micros] = await redis.send<[string, string]>("TIME");
    const took = performance.now() - since;
    if (took < best) [best, offset] = [took, Number(seconds) * 1000 + Number(micros) / 1000 - since - took / 2];
  }
  return offset;
}
