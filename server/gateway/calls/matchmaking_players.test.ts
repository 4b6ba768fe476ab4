import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type Person, signedIn } from "../../testing/browser.ts";
import { openEvents, type TestEvents } from "../../testing/event_source.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { privateServers } from "../../testing/servers.ts";

/** Matchmaking itself behind a gateway. It has a Redis of its own, so that it alone can be away. */
let servers: Awaited<ReturnType<typeof privateServers<"redis">>>;
let kenri: TestKenri;
let gateway: TestGateway;
const players: Record<string, Person> = {};
beforeAll(async () => {
  servers = await privateServers("redis");
  kenri = await testKenri({ NOTIFICATION_CHANNEL: "stream" });
  const place = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api notification:consumer notification:sender", place.forServices);
  await kenri.start("matchmaking:api matchmaking:matcher matchmaking:relay", {
    ...place.forServices,
    REDIS_URL: servers.redis.url,
    REDIS_DEADLINE: "500ms",
  });
  gateway = await startGateway(kenri, place);
  for (const name of ["alice", "bob"]) players[name] = await signedIn(gateway, name);
});
afterAll(async () => {
  await kenri.close();
  await servers.stop();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { readonly ticket_id: string };
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer["body"] };
}
const join = async (name: string, mode: string, key: string = crypto.randomUUID(), attributes: object = {}) =>
  answerOf(
    await players[name]!.send(gateway.url, "POST", `/v1/matchmaking/queues/${mode}/tickets`, {
      party_size: 1,
      attributes,
      idempotency_key: key,
    }),
  );
const read = async (name: string, rest: string) => answerOf(await players[name]!.fetch(`${gateway.url}/v1/matchmaking/${rest}`));
const cancel = async (name: string, id: string) =>
  answerOf(await players[name]!.call(gateway.url, `/v1/matchmaking/tickets/${id}`, { method: "DELETE" }));

test("both players' streams tell of a match at once, not with the next heartbeat, and both lists have it once", async () => {
  const names = ["alice", "bob"] as const;
  const streams = await Promise.all(names.map(name => openEvents(players[name]!, `${gateway.url}/v1/me/notifications/stream`)));
  await until("both streams are ready", 5000, () => streams.every(({ events }) => events[0]?.name === "ready"));
  const told = ({ events }: TestEvents) => events.filter(({ name }) => name === "notification").map(({ data }) => data);
  const tickets = [await join("alice", "casual"), await join("bob", "casual")];
  const since = performance.now();
  await until("both streams tell", 10_000, () => streams.every(stream => told(stream).length > 0), 5);
  expect(performance.now() - since).toBeLessThan(5000);
  const [hers] = told(streams[0]!) as [{ payload: { match_id: string } }];
  for (const [n, name] of names.entries()) {
    const peer = players[names[1 - n]!]!.userId;
    const { ticket_id } = tickets[n]!.body;
    const { match_id } = hers.payload;
    const notice = { type: "MatchFound", payload: { match_id, mode: "casual", ticket_id, peer_user_ids: [peer] } };
    expect(told(streams[n]!)).toMatchObject([notice]);
    const listed = await answerOf(await players[name]!.fetch(`${gateway.url}/v1/me/notifications`));
    expect(listed.body.notifications).toMatchObject([notice]);
  }
  for (const stream of streams) stream.close();
});

test("alice and bob join, and both tickets become one match with each other as peer; the profile has it", async () => {
  const [alice, bob] = [await join("alice", "casual"), await join("bob", "casual")];
  const matched = async (name: string, { body }: Answer) => {
    await until(`${name} is matched`, 5000, async () => (await read(name, `tickets/${body.ticket_id}`)).body.status === "MATCHED");
    return (await read(name, `tickets/${body.ticket_id}`)).body;
  };
  const [hers, his] = [await matched("alice", alice), await matched("bob", bob)];
  expect([hers.match_id, hers.session]).toEqual([his.match_id, his.session]);
  expect([hers.peer_user_ids, his.peer_user_ids]).toEqual([[players.bob!.userId], [players.alice!.userId]]);
  const path = `/v1/users/${players.alice!.userId}/profile?fields=matchmaking&ticket_id=${hers.ticket_id}`;
  const asGame = { headers: { "x-kenri-client": "game" } };
  const [web, game] = [await players.alice!.fetch(`${gateway.url}${path}`), await players.alice!.fetch(`${gateway.url}${path}`, asGame)];
  expect(await web.json()).toEqual({ matchmaking: hers } as never);
  const { ticket_id, status, match_id, peer_user_ids, session } = hers;
  expect(await game.json()).toEqual({ matchmaking: { ticket_id, status, match_id, peer_user_ids, session } } as never);
  const foreign = await players.bob!.fetch(`${gateway.url}${path.replace(players.alice!.userId, players.bob!.userId)}`);
  expect([foreign.status, ((await foreign.json()) as { code: string }).code]).toEqual([403, "TICKET_FORBIDDEN"]);
});

test("the same key gets the same ticket, and another join in the queue the id of the live ticket", async () => {
  const first = await join("alice", "rank", "k1", { rating: 1500 });
  const again = await join("alice", "rank", "k1", { rating: 1500 });
  expect([again.status, again.body.ticket_id, again.headers.get("idempotency-replayed")]).toEqual([200, first.body.ticket_id, "true"]);
  expect(await join("alice", "rank", "k1", { rating: 1600 })).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_KEY_CONFLICT" } });
  const second = await join("alice", "rank", "k2", { rating: 1500 });
  expect(second).toMatchObject({ status: 409, body: { code: "ALREADY_QUEUED", ticket_id: first.body.ticket_id } });
  const mine = (await read("alice", "tickets")).body.tickets as { ticket_id: string; status: string }[];
  expect(mine[0]).toMatchObject({ ticket_id: first.body.ticket_id, status: "QUEUED" });
  const { queues } = (await read("alice", "queues")).body as unknown as { queues: { mode: string; waiting: number }[] };
  expect(queues).toMatchObject([
    { mode: "casual", strategy: "fifo", waiting: 0 },
    { mode: "rank", strategy: "rating", waiting: 1 },
  ]);
  const { ticket_id } = first.body;
  expect(await read("bob", `tickets/${ticket_id}`)).toMatchObject({ status: 403, body: { code: "TICKET_FORBIDDEN" } });
  expect(await cancel("bob", ticket_id)).toMatchObject({ status: 403 });
  for (let n = 0; n < 2; n++) expect(await cancel("alice", ticket_id)).toMatchObject({ status: 200, body: { status: "CANCELLED" } });
});

test("an unknown queue, a rating that the queue refuses, and a ticket that does not exist are matchmaking's refusals", async () => {
  expect(await join("alice", "chess")).toMatchObject({ status: 404, body: { code: "MODE_NOT_FOUND" } });
  for (const attributes of [{}, { rating: "1500" }, { rating: -1 }, { rating: 10_001 }]) {
    const refused = await join("alice", "rank", crypto.randomUUID(), attributes);
    expect(refused).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", errors: [{ pointer: "/attributes/rating" }] } });
  }
  expect(await read("alice", `tickets/${Bun.randomUUIDv7()}`)).toMatchObject({ status: 404, body: { code: "TICKET_LOST" } });
  expect(await read("alice", `tickets/${crypto.randomUUID()}`)).toMatchObject({ status: 404, body: { code: "TICKET_NOT_FOUND" } });
  expect((await read("alice", "tickets")).body.tickets).toSatisfy(list => (list as unknown[]).length === 3);
});

test("its Redis away: 503 with Retry-After for every call, while the rest of the gateway works; then it recovers by itself", async () => {
  await servers.redis.halt();
  const profile = `/v1/users/${players.alice!.userId}/profile`;
  // More calls than the circuit tolerates.
  for (let n = 0; n < 12; n++) {
    const since = performance.now();
    const refused = n % 2 ? await join("alice", "casual") : await read("alice", "queues");
    expect(refused).toMatchObject({ status: 503, body: { code: "UNAVAILABLE", detail: expect.stringMatching(/^matchmaking: /) } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(performance.now() - since).toBeLessThan(3000);
    expect((await players.alice!.fetch(`${gateway.url}${profile}`)).status).toBe(200);
  }
  await servers.redis.start();
  await until("players can join again", 15_000, async () => (await join("bob", "casual")).status === 200);
});
