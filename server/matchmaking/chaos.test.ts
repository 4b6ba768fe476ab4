import { afterAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import type { TestProcess } from "../testing/kenri.ts";
import { allTold, joinAll, matchFaults, queueOf, toldOf } from "../testing/matches.ts";
import { type TestMatchmaking, testMatchmaking } from "../testing/matchmaking.ts";
import { seeded } from "../testing/random.ts";
import type { Ticket } from "./tickets/ticket.ts";

let matchmaking: TestMatchmaking;
afterAll(() => matchmaking.close());

// The last one has no opponent.
const count = Number(process.env.CHAOS_PLAYERS ?? 10_000) + 1;
const ttl = 10_000;

test("10,000 players join, matchers and relays are killed at random: each is in one match, which both are told once, and no ticket is missing", async () => {
  matchmaking = await testMatchmaking({
    MATCHMAKING_MODES: `casual:fifo:${ttl}ms`,
    MATCH_LEASE: "1s",
    MATCH_PUBLISH_WITHIN: "500ms",
    MATCH_OVERDUE: "3s",
    CONSUMER_ACK_WAIT: "3s",
  });
  const { kenri } = matchmaking;
  await kenri.start("matchmaking:api notification:api notification:consumer notification:sender");
  const roles = [...Array.from({ length: 4 }, () => "matchmaking:matcher"), "matchmaking:relay", "matchmaking:relay"];
  const workers: TestProcess[] = roles.map(role => kenri.launch(role));
  const next = seeded(Number(process.env.CHAOS_SEED ?? 13));

  let isOver = false;
  let kills = 0;
  const killing = (async () => {
    while (!isOver) {
      const one = next(workers.length);
      workers[one]!.kill("SIGKILL");
      await workers[one]!.exited;
      kills++;
      workers[one] = kenri.launch(roles[one]!);
      const since = performance.now();
      await until("a second has passed", 5000, () => isOver || performance.now() - since > 1000);
    }
  })();
  const users = Array.from({ length: count }, (_, n) => `player-${n}`);
  const tickets = await joinAll(matchmaking, users, { clients: 16, within: 120_000 });
  isOver = true;
  await killing;
  expect(kills).toBeGreaterThan(2);

  await allTold(matchmaking, 60_000);
  expect(await matchFaults(matchmaking)).toEqual([]);
  const { totals } = await queueOf(matchmaking);
  expect([totals.joined, totals.cancelled, totals.invalid]).toEqual([count, 0, 0]);
  const told = new Set((await toldOf(matchmaking)).map(({ user_id }) => user_id));
  const alone = users.filter(user => !told.has(user));
  await until("whoever found nobody has expired", ttl + 10_000, async () => (await queueOf(matchmaking)).waiting === 0, 200);
  expect((await queueOf(matchmaking)).totals.expired).toBe(alone.length);
  const ended = await Promise.all(alone.map(user => matchmaking.read(user, tickets.get(user)!.ticket_id)));
  expect(new Set(ended.map(({ status }: Ticket) => status))).toEqual(new Set(["EXPIRED"]));
  // Matchers were there all the time.
  expect(alone.length).toBeLessThan(count / 20);
});
