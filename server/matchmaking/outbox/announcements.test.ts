import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AnnouncedAnswer, AnnouncedJoin, AnnouncedQuestion } from "../../contracts/match_events.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { testRedis } from "../../testing/redis.ts";
import { joinIdOf } from "../ids.ts";
import { type ModeStore, modeStore } from "../mode_store.ts";
import { announcements } from "./announcements.ts";
import { readFacts } from "./match_facts.ts";
import { relayMetrics } from "./relay_metrics.ts";

let redis: Redis;
beforeAll(async () => {
  redis = await testRedis();
});
afterAll(() => redis.stop());

const keep = 3_600_000;

/** A mode with one published match of these two players. */
async function published(first: string, second: string) {
  const store = modeStore(redis, `kenri:matchmaking:${crypto.randomUUID()}`, { name: "casual", strategy: "fifo", ttl: 60_000 }, keep);
  const tickets = [];
  for (const userId of [first, second]) {
    const request = { userId, joinId: joinIdOf(userId, "casual", "k"), ticketId: Bun.randomUUIDv7(), digest: "d" };
    tickets.push((await store.join({ ...request, attributes: "{}", rating: undefined, traceparent: "" })).ticketId);
  }
  await store.pairFifo(1);
  const [entry] = await store.take("relay", 5000, 1, false);
  await store.published([{ ...entry!, seq: 1 }]);
  return { store, tickets, matchId: entry!.matchId, facts: readFacts(entry!.event) };
}

const isUuid = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

/** The relay's walk over the mode, with a notification that has announced these requests. Like the real one it answers only questions about ids. */
function confirming(store: ModeStore, joins: readonly AnnouncedJoin[]) {
  const { runOnce } = announcements({
    store,
    async ask({ match_ids, join_ids }: AnnouncedQuestion) {
      if (![...match_ids, ...join_ids].every(isUuid)) return { answer: undefined, why: "it does not answer" };
      const answer: AnnouncedAnswer = { joins: joins.filter(({ join_id }) => join_ids.includes(join_id)), unreadable: [] };
      return { answer };
    },
    nothingToAsk: () => {},
    checks: { passes: async () => true, note: async () => {} },
    isConnected: () => true,
    isConsumerIdle: async () => true,
    overdue: -1,
    counters: relayMetrics(createMetrics()),
    resent: () => {},
    released: () => {},
    log: silentLog,
  });
  return runOnce;
}
const announced = (join_id: string, match_id: string, at = Date.now(), counts = true): AnnouncedJoin => ({
  join_id,
  match_id,
  peer_user_ids: ["x"],
  session: "s",
  announced_at: new Date(at).toISOString(),
  counts,
});
const stateOf = async (store: ModeStore, matchId: string) => (await store.matchFields(matchId)).state;

test.each([
  ["with an id that is none", "planted", (event: string) => event],
  [
    "with a request that is none",
    Bun.randomUUIDv7(),
    (event: string) => event.replace(/"join_id":"[^"]*"/, `"join_id":"${"x".repeat(36)}"`),
  ],
])("a planted match %s keeps no other from being confirmed", async (_, planted, change) => {
  const { store, matchId, facts } = await published("a", "b");
  const { event } = await store.matchFields(matchId);
  await redis.send("HSET", store.key(`match:${planted}`), "state", "PUBLISHED", "generation", 0, "event", change(event!));
  await redis.send("ZADD", store.key("published"), 1, planted);
  await confirming(
    store,
    facts.players.map(({ join_id }) => announced(join_id, matchId)),
  )();
  expect([await stateOf(store, matchId), await stateOf(store, planted)]).toEqual(["ANNOUNCED", "VOID"]);
});

test.each([
  ["counts at notification", 2 * keep, true, "VOID"],
  ["was made shortly before it, and is old for notification's clock", keep - 1000, false, "VOID"],
  ["was made shortly after it", 1000 - keep, false, "VOID"],
  ["was made long before it", keep + 1000, false, "PAIRED"], // missing, so it is published again
] as const)("a match of which a player was announced in another one that %s", async (_, before, counts, state) => {
  const { store, matchId, tickets, facts } = await published("a", "b");
  const other = Bun.randomUUIDv7();
  await confirming(store, [announced(facts.players[0]!.join_id, other, facts.paired_at - before, counts)])();
  expect(await stateOf(store, matchId)).toBe(state);
  const [first, second] = await Promise.all(tickets.map(id => store.read(id)));
  if (state === "VOID") expect([first!.fields.match_id, second!.fields.status]).toEqual([other, "QUEUED"]);
  else expect([first!.fields.match_id, second!.fields.status]).toEqual([matchId, "MATCHED"]);
});
