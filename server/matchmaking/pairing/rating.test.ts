import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Redis } from "../../kernel/redis/redis.ts";
import { seeded } from "../../testing/random.ts";
import { distance, opens, type RatedTicket, type RatingScene, ratingScene, windowAt } from "../../testing/rating_scene.ts";
import { testRedis } from "../../testing/redis.ts";
import { redisTime } from "../../testing/tickets.ts";
import { highestRating as range } from "../tickets/rating.ts";

let redis: Redis;
beforeAll(async () => {
  redis = await testRedis();
});
afterAll(() => redis.stop());

type Random = (below: number) => number;

/** Ratings of a population, one at a time. */
const shapes: Record<string, (random: Random) => (n: number) => number> = {
  "evenly spread": random => () => random(range + 1),
  "two clusters far from each other": random => n => (n % 2 === 0 ? random(150) : range - random(150)),
  "all equal": random => {
    const rating = random(range + 1);
    return () => rating;
  },
  "one loner": random => n => (n === 3 ? range : random(300)),
  "a few ratings, each several times": random => {
    const ratings = Array.from({ length: 6 }, () => random(range + 1) + 0.5 * random(2));
    return () => ratings[random(ratings.length)]!;
  },
  "fractions that no decimal number has": random => () => (random(range * 7) + 1) / 7,
};

// More populations: RATING_SEEDS=100.
const seeds = Array.from({ length: Number(process.env.RATING_SEEDS ?? 6) }, (_, n) => n + 1);

interface Run {
  readonly scene: RatingScene;
  readonly most: number;
  readonly looks: number;
  readonly matched: Set<string>;
  readonly violations: string[];
}

// Rounding of the last digit, in a window or in the difference of two ratings.
const rounding = 1e-9;

const named = ({ userId, rating, joinedAt }: RatedTicket, at: number) => `${userId} (rating ${rating}, waited ${at - joinedAt} ms)`;

const isInside = (one: RatedTicket, other: RatedTicket, at: number) => distance(one, other) <= windowAt(one, at) - rounding;

/** One call. The longest waiting player has to be paired if anybody is inside the player's window when it begins. */
async function checkedCall({ scene, most, looks, matched, violations }: Run, from: number): Promise<number> {
  const before = await redisTime(redis);
  const [longest, ...others] = await scene.waiting();
  const made = await scene.pair(most, looks, from);
  const matches = await scene.newMatches();
  for (const { at, pair } of matches) {
    const [a, b] = pair;
    const longer = a.joinedAt <= b.joinedAt ? a : b;
    if (distance(a, b) > windowAt(longer, at) + rounding) violations.push(`outside the window: ${named(a, at)} and ${named(b, at)}`);
    for (const { ticketId, userId } of pair) {
      if (matched.has(ticketId)) violations.push(`${userId} is in two matches`);
      matched.add(ticketId);
    }
  }
  const near = longest && others.find(other => isInside(longest, other, before));
  if (near && !matched.has(longest.ticketId)) violations.push(`passed over: ${named(longest, before)} near ${named(near, before)}`);
  if (made.waits.length !== 2 * matches.length) violations.push(`${matches.length} matches and ${made.waits.length} waits`);
  if (matches.length > most) violations.push(`${matches.length} matches instead of ${most}`);
  return made.from;
}

/** Calls until the walk has ended. After that nobody who waits may have a neighbour inside the own window. */
async function checkedWalk(run: Run): Promise<void> {
  const since = await redisTime(redis);
  let from = 0;
  do from = await checkedCall(run, from);
  while (from !== 0);
  const left = await run.scene.waiting();
  for (const one of left) {
    const near = left.find(other => other !== one && isInside(one, other, since));
    if (near) return void run.violations.push(`left behind: ${named(one, since)} near ${named(near, since)}`);
  }
}

/** Calls of walks while players come and time goes by. Only what holds for each call is checked. */
async function checkedUnrest(run: Run, newcomer: () => number, random: Random): Promise<void> {
  let from = 0;
  for (let call = 0; call < 12; call++) {
    from = await checkedCall(run, from);
    if (random(2) === 0) await run.scene.plant([{ rating: newcomer(), waited: 0 }]);
    if (random(3) === 0) await run.scene.age(opens / 10);
  }
}

async function violationsOf(shape: (random: Random) => (n: number) => number, seed: number): Promise<string[]> {
  const random = seeded(seed * 7919);
  const scene = ratingScene(redis);
  const rating = shape(random);
  const run: Run = { scene, most: 1 + random(8), looks: 3 + random(12), matched: new Set(), violations: [] };
  const longest = [opens / 50, opens / 4, opens * 1.2][seed % 3]!;
  const players = (count: number, most: number) => Array.from({ length: count }, (_, n) => ({ rating: rating(n), waited: random(most) }));
  await scene.plant(players(20 + random(80), longest));
  for (let round = 0; round < 3; round++) {
    await checkedWalk(run);
    await scene.age(opens / 4);
    await scene.plant(players(random(6), 100));
    await checkedUnrest(run, () => rating(random(6)), random);
  }
  await scene.age(opens);
  await checkedWalk(run);
  const left = await scene.waiting();
  if (left.length > 1) run.violations.push(`${left.length} wait although every window is open`);
  await checkConservation(run, left);
  return run.violations.map(violation => `seed ${seed}: ${violation}`);
}

async function checkConservation({ scene, matched, violations }: Run, left: readonly RatedTicket[]): Promise<void> {
  const { totals } = await scene.store.history();
  const joined = scene.tickets.size;
  if (matched.size + left.length !== joined) violations.push(`${joined} joined, ${matched.size} matched, ${left.length} wait`);
  if (Number(totals.joined) !== joined || Number(totals.matched ?? 0) !== matched.size) violations.push(`totals ${JSON.stringify(totals)}`);
  for (const { ticketId, userId } of scene.tickets.values()) {
    const { status, peer_user_ids = "[]" } = (await scene.store.read(ticketId))!.fields;
    if (status !== (matched.has(ticketId) ? "MATCHED" : "QUEUED")) violations.push(`${userId} is ${status}`);
    if ((JSON.parse(peer_user_ids) as string[]).includes(userId)) violations.push(`${userId} is paired with itself`);
  }
}

describe("by rating", () => {
  test.each(Object.entries(shapes))(
    "nobody is paired outside the window, the longest waiting is never passed over, and a walk leaves no pair behind: %s",
    async (_, shape) => {
      for (const seed of seeds) expect(await violationsOf(shape, seed)).toEqual([]);
    },
  );

  test("the longest waiting is paired with anybody as soon as its window is open", async () => {
    const scene = ratingScene(redis);
    const [loner, other] = await scene.plant([
      { rating: 0, waited: opens },
      { rating: range, waited: 0 },
    ]);
    await scene.pair(10, 100, 0);
    expect((await scene.newMatches()).map(({ pair }) => pair)).toEqual([[loner!, other!]]);
  });

  test("the longest waiting is looked at by every call, also when a walk is far behind it", async () => {
    const scene = ratingScene(redis);
    const [longest] = await scene.plant(Array.from({ length: 9 }, (_, n) => ({ rating: 1000 * n, waited: 40 - n })));
    const { from } = await scene.pair(10, 3, 0);
    expect((await scene.pair(10, 3, from)).from).toBeGreaterThan(from);
    const [newcomer] = await scene.plant([{ rating: 50, waited: 0 }]);
    await scene.pair(1, 3, from);
    expect((await scene.newMatches()).map(({ pair }) => pair)).toEqual([[longest!, newcomer!]]);
  });

  test("of several with the same distance the longest waiting is chosen, above and below", async () => {
    for (const side of [-1, 1]) {
      const scene = ratingScene(redis);
      const first = { rating: 5000, waited: 5000 };
      const others = Array.from({ length: 30 }, (_, n) => ({ rating: 5000 + 10 * side, waited: 4000 - n }));
      const [longest, second] = await scene.plant([first, ...others]);
      await scene.pair(1, 100, 0);
      expect((await scene.newMatches()).map(({ pair }) => pair)).toEqual([[longest!, second!]]);
    }
  });

  test("tickets that have expired do not hide the nearest ticket behind them", async () => {
    const scene = ratingScene(redis);
    const stale = Array.from({ length: 30 }, (_, n) => ({ rating: 5000 + (n % 2 === 0 ? n : -n), waited: 1000 + n }));
    const planted = await scene.plant([{ rating: 5000, waited: 9000 }, ...stale, { rating: 5600, waited: 0 }, { rating: 4300, waited: 0 }]);
    for (const { ticketId } of planted.slice(1, 31)) await redis.send("HSET", scene.store.key(`ticket:${ticketId}`), "expires_at", 1);
    const made = await scene.pair(1, 100, 0);
    const [match] = await scene.newMatches();
    expect([match?.pair[0].rating, match?.pair[1].rating]).toEqual([5000, 5600]);
    expect(made.expired).toBeGreaterThan(10);
  });

  test("a ticket that leaves between two calls of a walk hides nobody from it", async () => {
    const scene = ratingScene(redis);
    const apart = Array.from({ length: 10 }, (_, n) => ({ rating: 1000 * n, waited: 40 - n }));
    const pair = [
      { rating: 9500, waited: 11 },
      { rating: 9510, waited: 10 },
    ];
    const planted = await scene.plant([...apart, ...pair, ...Array.from({ length: 4 }, (_, n) => ({ rating: 200 + 1000 * n, waited: n }))]);
    const { from } = await scene.pair(10, 10, 0);
    expect(from).toBeGreaterThan(0);
    for (const { ticketId, userId } of planted.slice(2, 6)) await scene.store.cancel(ticketId, userId);
    expect((await scene.pair(10, 4, from)).waits.length).toBe(2);
    expect((await scene.newMatches()).map(match => match.pair)).toEqual([[planted[10]!, planted[11]!]]);
  });

  test("a ticket that expires during a call of a walk hides nobody from it", async () => {
    const scene = ratingScene(redis);
    const apart = Array.from({ length: 10 }, (_, n) => ({ rating: 1000 * n, waited: 40 - n }));
    const planted = await scene.plant([...apart, { rating: 9500, waited: 11 }, { rating: 9510, waited: 10 }, { rating: 500, waited: 9 }]);
    const { from } = await scene.pair(10, 10, 0);
    for (const { ticketId } of planted.slice(0, 3)) await redis.send("HSET", scene.store.key(`ticket:${ticketId}`), "expires_at", 1);
    const made = await scene.pair(10, 3, from);
    expect([made.expired, made.waits.length]).toEqual([3, 2]);
  });

  test("a ticket without its number is invalid, and stops nobody", async () => {
    const scene = ratingScene(redis);
    const planted = await scene.plant([5000, 5000, 5000].map((rating, n) => ({ rating, waited: 10 - n })));
    await redis.send("HDEL", scene.store.key(`ticket:${planted[1]!.ticketId}`), "number");
    const made = await scene.pair(10, 100, 0);
    expect([made.waits.length, made.invalid]).toEqual([2, 1]);
    expect((await scene.newMatches()).map(({ pair }) => pair)).toEqual([[planted[0]!, planted[2]!]]);
  });
});
