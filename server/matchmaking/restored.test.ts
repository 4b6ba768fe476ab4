import { afterAll, expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../stack/wait.ts";
import { counted } from "../testing/counted.ts";
import { testServer } from "../testing/databases.ts";
import { testNats } from "../testing/kenri.ts";
import { joinAll, queueOf, toldOf } from "../testing/matches.ts";
import { type TestMatchmaking, testMatchmaking } from "../testing/matchmaking.ts";
import { privateServers } from "../testing/servers.ts";
import type { Ticket } from "./tickets/ticket.ts";

const closing: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closing.map(close => close())));

/** The ticket of a player who repeats the request to join if the ticket was lost. */
async function ticketOf(matchmaking: TestMatchmaking, user: string, { ticket_id }: Ticket): Promise<Ticket> {
  const answer = await matchmaking.ask(user, "GET", `/v1/matchmaking/tickets/${ticket_id}`);
  if (answer.status === 200) return JSON.parse(answer.text) as Ticket;
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, "TICKET_LOST"]);
  return (await joinAll(matchmaking, [user])).get(user)!;
}

test("Redis comes back with a state a second old: nobody is in two matches that were announced, and every ticket ends in the announced match", async () => {
  const servers = await privateServers("redis");
  const matchmaking = await testMatchmaking(
    { MATCH_OVERDUE: "2s", CONSUMER_ACK_WAIT: "2s", MATCHMAKING_MODES: "casual:fifo:5m" },
    { postgresUrl: testServer(), natsUrl: testNats(), redisUrl: servers.redis.url },
  );
  closing.push(async () => {
    await matchmaking.close();
    await servers.stop();
  });
  const { kenri } = matchmaking;
  const relay = await kenri.start("matchmaking:relay");
  await kenri.start("matchmaking:api matchmaking:matcher notification:api notification:consumer notification:sender");
  const users = Array.from({ length: 300 }, (_, n) => `player-${n}`);
  const [early, late] = [users.slice(0, 101), users.slice(101)]; // the odd one waits when the copy is made
  const tickets = await joinAll(matchmaking, early);
  await until("they are told", 30_000, async () => (await toldOf(matchmaking)).length === 100);
  const [store, copy] = [join(servers.dir, "redis"), join(servers.dir, "redis-before")];
  cpSync(store, copy, { recursive: true });
  for (const [user, ticket] of await joinAll(matchmaking, late)) tickets.set(user, ticket);
  await until("all are told", 30_000, async () => (await toldOf(matchmaking)).length === 300);

  await servers.redis.halt();
  rmSync(store, { recursive: true });
  cpSync(copy, store, { recursive: true });
  await servers.redis.start();
  await until("Redis answers", 15_000, async () => (await matchmaking.tryJoin("somebody", { key: "k" })).status === 200);
  expect((await queueOf(matchmaking)).totals.joined).toBe(102); // the state is old: nearly all who were told have not joined in it

  const told = new Map((await toldOf(matchmaking)).map(one => [one.user_id, one.match_id]));
  await until(
    "every ticket is in the match that was announced",
    60_000,
    async () => {
      for (const [user, ticket] of tickets) tickets.set(user, await ticketOf(matchmaking, user, ticket));
      return users.every(user => tickets.get(user)!.match_id === told.get(user));
    },
    200,
  );
  await counted(1, () => relay.metric("kenri_match_void_total"));
  const after = (await toldOf(matchmaking)).filter(({ user_id }) => user_id !== "somebody");
  expect(after).toHaveLength(300);
  expect(new Set(after.map(({ user_id }) => user_id)).size).toBe(300);
  for (const both of Map.groupBy(after, ({ match_id }) => match_id).values()) expect(both).toHaveLength(2);
  // The player who joined after that was nobody's opponent in an announced match, and still waits.
  const answer = JSON.parse((await matchmaking.tryJoin("somebody", { key: "k" })).text) as Ticket;
  expect(answer.status).toBe("QUEUED");
});
