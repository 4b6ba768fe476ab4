import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type TestMatchmaking, testMatchmaking } from "../../testing/matchmaking.ts";
import type { Ticket } from "./ticket.ts";

let matchmaking: TestMatchmaking;
beforeAll(async () => {
  matchmaking = await testMatchmaking();
  await matchmaking.kenri.start("matchmaking:api matchmaking:matcher");
});
afterAll(() => matchmaking.close());

let users = 0;
const somebody = (): string => `user-${users++}`;
const codeOf = ({ text }: { readonly text: string }) => (JSON.parse(text) as { code: string }).code;
const ticketPath = (id: string) => `/v1/matchmaking/tickets/${id}`;

test("two players who join are paired: both tickets have the same match and session, and each other as peer", async () => {
  const [alice, bob] = [somebody(), somebody()];
  const first = await matchmaking.join(alice, { attributes: { region: "eu" } });
  expect(first).toMatchObject({ mode: "casual", status: "QUEUED", attributes: { region: "eu" }, ahead: 0, ended_at: null, why: null });
  expect(Date.parse(first.expires_at!) - Date.parse(first.joined_at!)).toBe(60_000);
  const second = await matchmaking.join(bob);
  await until("both are matched", 5000, async () => (await matchmaking.read(bob, second.ticket_id)).status === "MATCHED");
  const tickets = [await matchmaking.read(alice, first.ticket_id), await matchmaking.read(bob, second.ticket_id)];
  expect(tickets.map(({ status, peer_user_ids }) => [status, peer_user_ids])).toEqual([
    ["MATCHED", [bob]],
    ["MATCHED", [alice]],
  ]);
  expect(tickets[0]!.match_id).toBe(tickets[1]!.match_id!);
  expect(tickets[0]!.session).toBe(tickets[1]!.session!);
});

describe("in rank", () => {
  const rank = (rating: number) => ({ mode: "rank", attributes: { rating } });

  test("the same key and attributes get the same ticket, fifty in parallel too", async () => {
    const user = somebody();
    const key = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, () => matchmaking.tryJoin(user, { ...rank(9000), key })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text }) => (JSON.parse(text) as Ticket).ticket_id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true").length).toBe(49);
    const other = await matchmaking.tryJoin(user, { ...rank(9001), key });
    expect([other.status, codeOf(other)]).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"]);
    await matchmaking.ask(user, "DELETE", ticketPath((JSON.parse(answers[0]!.text) as Ticket).ticket_id));
  });

  test("the order of attributes does not matter", async () => {
    const user = somebody();
    const body = (attributes: string) => `{"party_size": 1, "attributes": ${attributes}, "idempotency_key": "order"}`;
    const path = "/v1/matchmaking/queues/rank/tickets";
    const first = await matchmaking.ask(user, "POST", path, body('{"rating": 5000, "a": 1}'));
    const again = await matchmaking.ask(user, "POST", path, body('{"a":1,"rating":5000}'));
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([200, 200, "true"]);
    await matchmaking.ask(user, "DELETE", ticketPath((JSON.parse(first.text) as Ticket).ticket_id));
  });

  test("a second live ticket is refused with the id of the first; another mode is free", async () => {
    const user = somebody();
    const first = await matchmaking.join(user, rank(3000));
    const second = await matchmaking.tryJoin(user, rank(3000));
    expect([second.status, codeOf(second), (JSON.parse(second.text) as { ticket_id: string }).ticket_id]).toEqual([
      409,
      "ALREADY_QUEUED",
      first.ticket_id,
    ]);
    const casual = await matchmaking.join(user);
    const mine = JSON.parse((await matchmaking.ask(user, "GET", "/v1/matchmaking/tickets")).text) as { tickets: Ticket[] };
    expect(mine.tickets.map(({ ticket_id }) => ticket_id)).toEqual([casual.ticket_id, first.ticket_id]);
    for (const { ticket_id } of [first, casual]) await matchmaking.ask(user, "DELETE", ticketPath(ticket_id));
  });

  test("another player's ticket is forbidden, and cancelling twice is the same as once", async () => {
    const [owner, other] = [somebody(), somebody()];
    const { ticket_id } = await matchmaking.join(owner, rank(1000));
    for (const method of ["GET", "DELETE"]) {
      const answer = await matchmaking.ask(other, method, ticketPath(ticket_id));
      expect([method, answer.status, codeOf(answer)]).toEqual([method, 403, "TICKET_FORBIDDEN"]);
    }
    expect((await matchmaking.read(owner, ticket_id)).status).toBe("QUEUED");
    for (const turn of [1, 2]) {
      const answer = await matchmaking.ask(owner, "DELETE", ticketPath(ticket_id.toUpperCase()));
      expect([turn, answer.status, (JSON.parse(answer.text) as Ticket).status]).toEqual([turn, 200, "CANCELLED"]);
    }
  });
});

test("a matched ticket cannot be cancelled", async () => {
  const [alice, bob] = [somebody(), somebody()];
  const { ticket_id } = await matchmaking.join(alice);
  await matchmaking.join(bob);
  await until("it is matched", 5000, async () => (await matchmaking.read(alice, ticket_id)).status === "MATCHED");
  const answer = await matchmaking.ask(alice, "DELETE", ticketPath(ticket_id));
  expect([answer.status, codeOf(answer)]).toEqual([409, "ALREADY_MATCHED"]);
});

test("an unknown ticket is not found; one that is too young to be forgotten was lost", async () => {
  const old = "01920000-0000-7000-8000-000000000000";
  const random = "3f0f1d2c-6f1e-4a53-9d5b-0d6c1c0e4a11";
  for (const [id, code] of [
    [old, "TICKET_NOT_FOUND"],
    [random, "TICKET_NOT_FOUND"],
    [Bun.randomUUIDv7(), "TICKET_LOST"],
  ] as const)
    for (const method of ["GET", "DELETE"]) {
      const answer = await matchmaking.ask("somebody", method, ticketPath(id));
      expect([id, answer.status, codeOf(answer)]).toEqual([id, 404, code]);
    }
});

test("the queues tell how many wait, and the usual wait after a match", async () => {
  const [alice, bob] = [somebody(), somebody()];
  await Promise.all([matchmaking.join(alice), matchmaking.join(bob)]);
  await until("they are matched", 5000, async () => (await queue("casual")).estimated_wait_seconds !== null);
  expect(await queue("casual")).toMatchObject({ strategy: "fifo", ticket_ttl_seconds: 60, waiting: 0 });
  const rated = { mode: "rank", attributes: { rating: 10_000 } };
  const waiting = await matchmaking.join(somebody(), rated);
  expect((await queue("rank")).waiting).toBe(1);
  expect(waiting.estimated_wait_seconds).toBeNull();
});

async function queue(mode: string) {
  const { text } = await matchmaking.ask("somebody", "GET", "/v1/matchmaking/queues");
  return (JSON.parse(text) as { queues: { mode: string; waiting: number; estimated_wait_seconds: number | null }[] }).queues.find(
    one => one.mode === mode,
  )!;
}

describe("operators", () => {
  test("see queues, matches, tickets and players; viewers see no attributes", async () => {
    const [alice, bob] = [somebody(), somebody()];
    const ticket = await matchmaking.join(alice, { attributes: { secret: "plan", level: 7 } });
    await matchmaking.join(bob);
    await until("they are matched", 5000, async () => (await matchmaking.read(alice, ticket.ticket_id)).status === "MATCHED");
    const { match_id } = await matchmaking.read(alice, ticket.ticket_id);
    const match = await matchmaking.ops<{ state: string; players: { user_id: string }[] }>(`matches/${match_id}`);
    expect([match.state, match.players.map(({ user_id }) => user_id)]).toEqual(["PAIRED", [alice, bob]]);
    const { matches } = await matchmaking.ops<{ matches: { match_id: string }[] }>("matches?mode=casual&limit=1");
    expect(matches.map(one => one.match_id)).toEqual([match_id!]);
    const { queues } = await matchmaking.ops<{ queues: { mode: string; unpublished: number; minutes: unknown[] }[] }>("queues");
    expect(queues.map(({ mode, minutes }) => [mode, minutes.length])).toEqual([
      ["casual", 60],
      ["rank", 60],
    ]);
    expect(queues[0]!.unpublished).toBeGreaterThan(0);
    const asViewer = (path: string) => matchmaking.ask("viewer", "GET", path, undefined, ["USER", "VIEWER"]);
    const seen = await asViewer(`/ops/tickets/${ticket.ticket_id}`);
    expect(JSON.parse(seen.text)).toMatchObject({ user_id: alice, attributes: { secret: "•••", level: "•••" }, session: "•••" });
    const ofPlayer = await matchmaking.ops<{ tickets: Ticket[] }>(`players/${alice}/tickets`);
    expect(ofPlayer.tickets[0]).toMatchObject({ ticket_id: ticket.ticket_id, attributes: { secret: "plan", level: 7 } });
    const health = await matchmaking.ops<{ dependencies: { name: string; state: string }[] }>("health");
    expect(health.dependencies).toContainEqual({ name: "redis", state: "ok", detail: null } as never);
  });

  test("players and nobody see nothing of it", async () => {
    for (const path of ["/ops/queues", "/ops/matches", "/ops/ended-tickets", "/ops/config", "/ops/health"]) {
      expect([path, (await matchmaking.ask("alice", "GET", path)).status]).toEqual([path, 403]);
      expect([path, (await matchmaking.ask(undefined, "GET", path)).status]).toEqual([path, 401]);
    }
  });
});
