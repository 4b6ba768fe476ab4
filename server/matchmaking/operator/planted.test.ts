import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { type TestMatchmaking, testMatchmaking } from "../../testing/matchmaking.ts";
import { testRedis } from "../../testing/redis.ts";
import type { Match } from "./match.ts";
import type { EndedTicket } from "./ticket_routes.ts";

let matchmaking: TestMatchmaking;
let redis: Redis;
beforeAll(async () => {
  [matchmaking, redis] = await Promise.all([testMatchmaking(), testRedis()]);
  await matchmaking.kenri.start("matchmaking:api matchmaking:matcher");
});
afterAll(async () => {
  await redis.stop();
  await matchmaking.close();
});

const key = (name: string) => `${matchmaking.kenri.environment.MATCHMAKING_PREFIX}:{casual}:${name}`;

/** A match of two new players. */
async function aMatch(name: string): Promise<string> {
  const { ticket_id } = await matchmaking.join(`${name}-1`);
  await matchmaking.join(`${name}-2`);
  await until("they are matched", 5000, async () => (await matchmaking.read(`${name}-1`, ticket_id)).status === "MATCHED");
  return (await matchmaking.read(`${name}-1`, ticket_id)).match_id!;
}

test("a damaged match hides no others from operators", async () => {
  const [good, other, late] = [await aMatch("a"), await aMatch("b"), await aMatch("c")];
  await redis.send("DEL", key(`match:${other}`));
  await redis.send("SET", key(`match:${other}`), "planted");
  await redis.send("HSET", key(`match:${late}`), "published_at", "yesterday", "announced_at", "1e300");
  const { matches } = await matchmaking.ops<{ matches: Match[] }>("matches?mode=casual");
  expect(matches.map(({ match_id, published_at, announced_at }) => [match_id, published_at, announced_at])).toEqual([
    [late, null, null],
    [good, null, null],
  ]);
});

test("a damaged entry hides no others of the tickets that ended", async () => {
  const { ticket_id } = await matchmaking.join("d-1");
  await redis.send("HDEL", key(`ticket:${ticket_id}`), "join_id");
  await until("it is invalid", 5000, async () => (await matchmaking.read("d-1", ticket_id)).status === "INVALID");
  const entry = { ticket_id, status: "EXPIRED", why: "", joined_at: "yesterday", ended_at: "tomorrow" };
  for (const planted of ["planted", "null", "7", JSON.stringify(entry)]) await redis.send("LPUSH", key("ended"), planted);
  const { tickets } = await matchmaking.ops<{ tickets: EndedTicket[] }>("ended-tickets?mode=casual");
  expect(tickets.map(({ status, ended_at }) => [status, ended_at === null])).toEqual([
    ["INVALID", false],
    ["EXPIRED", true],
  ]);
});

test("a damaged ticket hides no others of its player", async () => {
  const { ticket_id } = await matchmaking.join("e-1");
  await matchmaking.ask("e-1", "DELETE", `/v1/matchmaking/tickets/${ticket_id}`);
  await redis.send("HSET", key(`ticket:${ticket_id}`), "attributes", "{", "status", "MATCHED", "peer_user_ids", "", "joined_at", "x");
  const { ticket_id: next } = await matchmaking.join("e-1");
  for (const path of ["/v1/matchmaking/tickets", "/ops/players/e-1/tickets"]) {
    const answer = await matchmaking.ask("e-1", "GET", path, undefined, ["USER", "OPERATOR"]);
    const { tickets } = JSON.parse(answer.text) as { tickets: { ticket_id: string }[] };
    expect([path, tickets.map(one => one.ticket_id)]).toEqual([path, [next, ticket_id]]);
  }
});
