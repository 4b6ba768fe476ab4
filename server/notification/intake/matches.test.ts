// Matches through the real stream.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { SourceLag } from "../../kernel/operator/health_routes.ts";
import { eventMessage } from "../../testing/events.ts";
import { allRoles, type TestKenri, type TestProcess, testKenri } from "../../testing/kenri.ts";
import {
  type MatchFacts,
  type MatchMessage,
  makeMatchStream,
  matchMessage,
  publishMatch,
  signedMatchHeaders,
} from "../../testing/match_events.ts";
import { putOnStream } from "../../testing/stream.ts";

let kenri: TestKenri;
let everything: TestProcess;
beforeAll(async () => {
  kenri = await testKenri({ CONSUMER_ACK_WAIT: "2s", HEALTH_PORT: "0" });
  everything = await kenri.start(allRoles);
});
afterAll(() => kenri.close());

const health = async () =>
  (await (await kenri.call("notification", "/ops/health")).json()) as {
    readonly dependencies: readonly { name: string; state: string }[];
    readonly consumers: readonly SourceLag[];
  };
const lagOf = async (source: string) => (await health()).consumers.find(one => one.source === source);
const isSent = async (user: string) => (await kenri.inbox(user))[0]?.status === "SENT";
async function grantIsTold(user: string) {
  expect((await kenri.grant(user, "item")).status).toBe(200);
  await until(`${user} is told`, 15_000, () => isSent(user));
}
const counted = (outcome: string) => everything.metric("kenri_intake_events_total", `source="matchmaking",outcome="${outcome}"`);

/** A match between two users, who have no other notifications. */
const matchOf = (first: string, second: string, facts: MatchFacts = {}): MatchMessage =>
  matchMessage({ players: [{ userId: first }, { userId: second }], ...facts });
const areTold = (...users: string[]) =>
  until(`${users.join(" and ")} are told`, 15_000, async () => (await Promise.all(users.map(isSent))).every(Boolean));

test("while nobody has ever matched, entitlement's events are delivered and health is well", async () => {
  await grantIsTold("early");
  await until("the stream of entitlement is read", 5000, async () => (await lagOf("entitlement"))?.state === "reading");
  expect((await health()).consumers).toEqual([
    { source: "entitlement", stream: kenri.environment.ENTITLEMENT_STREAM!, state: "reading", pending: 0, ack_pending: 0, redelivered: 0 },
    {
      source: "matchmaking",
      stream: kenri.environment.MATCHMAKING_STREAM!,
      state: "no_stream",
      pending: null,
      ack_pending: null,
      redelivered: null,
    },
  ]);
  expect((await health()).dependencies.map(one => one.state)).toEqual(["ok", "ok"]);
  expect(await kenri.readiness("notification")).toEqual({ status: "ready", database: "ok" } as never);
  expect(everything.lines.filter(line => /"level":"(warn|error)"/.test(line))).toEqual([]);
});

test("both players are told once, each with the other as peer and with the trace of the own request", async () => {
  await makeMatchStream(kenri);
  const message = matchOf("alice", "bob");
  await publishMatch(kenri, message);
  await areTold("alice", "bob");
  const { event } = message;
  for (const [index, [user, peer]] of (
    [
      ["alice", "bob"],
      ["bob", "alice"],
    ] as const
  ).entries()) {
    const player = event.players[index]!;
    const rows = await kenri.inbox(user);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      event_id: player.noticeId,
      type: "MatchFound",
      status: "SENT",
      stale: false,
      trace_id: player.traceparent.split("-")[1]!,
      payload: {
        match_id: event.matchId,
        peer_user_ids: [peer],
        session: event.session,
        mode: "casual",
        ticket_id: player.ticketId,
      } as never,
    });
  }
  await until("health sees it", 5000, async () => (await lagOf("matchmaking"))?.state === "reading");
});

test("a match that comes again, also under a new message id, is a duplicate", async () => {
  const message = matchOf("again-1", "again-2");
  await publishMatch(kenri, message);
  await areTold("again-1", "again-2");
  const before = await counted("duplicate");
  await publishMatch(kenri, { ...message, headers: { ...message.headers, "Nats-Msg-Id": `${message.event.matchId}:r1` } });
  await until("it is counted", 15_000, async () => (await counted("duplicate")) === before + 1);
  expect([(await kenri.inbox("again-1")).length, (await kenri.inbox("again-2")).length]).toEqual([1, 1]);
});

test("a match of which one request was announced before is refused as a whole: acknowledged, counted and logged, and nobody is told", async () => {
  const first = matchOf("torn", "peer-1");
  await publishMatch(kenri, first);
  await areTold("torn", "peer-1");
  const second = matchMessage({ players: [{ userId: "torn", joinId: first.event.players[0]!.joinId }, { userId: "peer-2" }] });
  const before = await counted("conflict");
  await publishMatch(kenri, second);
  await until("it is counted", 15_000, async () => (await counted("conflict")) === before + 1);
  const line = JSON.parse(everything.lines.find(one => one.includes("intake.conflict"))!);
  expect(line).toMatchObject({ level: "warn", match_id: second.event.matchId, announced_in: first.event.matchId });
  await until("it is acknowledged", 15_000, async () => {
    const { pending, ack_pending } = (await lagOf("matchmaking"))!;
    return pending === 0 && ack_pending === 0;
  });
  expect([(await kenri.inbox("torn")).length, (await kenri.inbox("peer-2")).length]).toEqual([1, 0]);
});

test("two matches in one batch that share a request: one is told, the other refused", async () => {
  const joinId = crypto.randomUUID();
  const before = await counted("conflict");
  const rivals = ["rival-1", "rival-2", "rival-3"];
  await Promise.all(rivals.map(rival => publishMatch(kenri, matchMessage({ players: [{ userId: "wanted", joinId }, { userId: rival }] }))));
  await until("two are refused", 15_000, async () => (await counted("conflict")) === before + 2);
  await areTold("wanted");
  expect((await kenri.inbox("wanted")).length).toBe(1);
  expect((await Promise.all(rivals.map(isSent))).filter(Boolean)).toHaveLength(1);
});

interface Letter {
  readonly id: string;
  readonly reason: string;
  readonly event_id: string | null;
}
async function letterOf(seq: number): Promise<Letter> {
  const find = () =>
    kenri.notificationSql<
      Letter[]
    >`select id, reason, event_id from notification_nats_dlq where stream = ${kenri.environment.MATCHMAKING_STREAM!} and stream_seq = ${seq}`;
  await until(`message ${seq} is a raw dead letter`, 15_000, async () => (await find()).length === 1);
  return (await find())[0]!;
}
async function reprocess(id: string) {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ reason: "mended" }) };
  const response = await kenri.call("notification", `/ops/raw-dead-letters/${id}/reprocess`, init);
  return { ...((await response.json()) as { code?: string; detail?: string }), status: response.status };
}
/** Replaces the content of a raw dead letter by another message, as if its publisher had been repaired. */
async function mend(id: string, { data, headers }: MatchMessage): Promise<void> {
  await kenri.notificationSql`update notification_nats_dlq set data = ${Buffer.from(data)},
    headers = ${kenri.notificationSql.json(signedMatchHeaders(kenri.environment, { data, headers }))} where id = ${id}`;
}

describe("a match that breaks a rule is a raw dead letter of its stream, changes nothing, and is consumed after a repair", () => {
  const both = (facts: object): MatchFacts => ({
    players: [
      { userId: "bad-1", ...facts },
      { userId: "bad-2", ...facts },
    ],
  });
  const bad: [what: string, facts: MatchFacts, headers: Record<string, string>, reason: RegExp][] = [
    ["an unknown event type", { eventType: "MatchLost" }, {}, /^event_type "MatchLost" is not known/],
    ["a match id that is none", { matchId: "m" }, {}, /^match_id is not a UUID/],
    ["one player", { players: [{ userId: "bad-1" }] }, {}, /^players must be 2, not 1/],
    ["a player against herself", both({ userId: "bad-1" }), {}, /different user_ids/],
    ["one request for both", both({ joinId: crypto.randomUUID() }), {}, /different join_ids/],
    ["U+0000 in a user", both({ userId: "a\0b" }), {}, /U\+0000/],
    ["a mode with capitals", { mode: "CASUAL" }, {}, /^mode must be/],
    ["no time", { occurredAt: undefined }, {}, /^occurred_at is missing/],
    ["the id of another match", {}, { "Nats-Msg-Id": crypto.randomUUID() }, /^the header Nats-Msg-Id/],
    ["another aggregate", {}, { aggregate_key: "x" }, /^the header aggregate_key/],
  ];
  test.each(bad)("%s", async (_, facts, headers, reason) => {
    const state =
      () => kenri.notificationSql`select (select count(*) from notifications) as told, (select count(*) from announced_joins) as announced,
      (select count(*) from processed_events) as processed`;
    const before = [...(await state())];
    const message = matchMessage({ players: [{ userId: "bad-1" }, { userId: "bad-2" }], ...facts });
    const seq = await publishMatch(kenri, { ...message, headers: { ...message.headers, ...headers } });
    const letter = await letterOf(seq);
    expect(letter.reason).toMatch(reason);
    expect([...(await state())]).toEqual(before);
    expect(await reprocess(letter.id)).toMatchObject({ status: 409, code: "STILL_UNREADABLE" });
    await mend(letter.id, matchOf(`mended-${seq}-1`, `mended-${seq}-2`));
    expect((await reprocess(letter.id)).status).toBe(200);
    expect((await reprocess(letter.id)).status).toBe(200);
    await areTold(`mended-${seq}-1`, `mended-${seq}-2`);
    expect(await kenri.inbox(`mended-${seq}-1`)).toHaveLength(1);
  });

  test("bytes that are no match, with a match behind them", async () => {
    const seq = await publishMatch(kenri, { data: "poison", headers: {} });
    await publishMatch(kenri, matchOf("behind-1", "behind-2"));
    await areTold("behind-1", "behind-2");
    expect((await letterOf(seq)).reason).toStartWith("not a MatchEvent");
  });

  test("an entitlement event in the stream of matches", async () => {
    const { data, headers } = eventMessage({ userId: "stray" });
    expect((await letterOf(await publishMatch(kenri, { data, headers }))).reason).toMatch(/^not a MatchEvent|is not a UUID|is not known/);
    expect(await kenri.inbox("stray")).toEqual([]);
  });

  test("that the database refuses, and the others of its batch are told", async () => {
    await kenri.notificationSql`alter table notifications add constraint nobody_is_odd check (user_id <> 'odd')`;
    const seq = await publishMatch(kenri, matchOf("odd", "beside-odd"));
    await publishMatch(kenri, matchOf("even-1", "even-2"));
    await areTold("even-1", "even-2");
    const letter = await letterOf(seq);
    expect(letter.reason).toMatch(/^cannot be stored: .*nobody_is_odd/);
    expect(await kenri.inbox("beside-odd")).toEqual([]);
    await kenri.notificationSql`alter table notifications drop constraint nobody_is_odd`;
    expect((await reprocess(letter.id)).status).toBe(200);
    await areTold("odd", "beside-odd");
  });

  test("that was read again and contradicts a match that was announced meanwhile: the operator is told which", async () => {
    const first = matchOf("meanwhile", "peer-of-meanwhile");
    await publishMatch(kenri, first);
    await areTold("meanwhile");
    const letter = await letterOf(await publishMatch(kenri, { data: "poison 2", headers: {} }));
    await mend(letter.id, matchMessage({ players: [{ userId: "meanwhile", joinId: first.event.players[0]!.joinId }, { userId: "late" }] }));
    expect(await reprocess(letter.id)).toMatchObject({
      status: 409,
      code: "REFUSED",
      detail: `it is not consumed: one of its players was announced in the match ${first.event.matchId}`,
    });
    expect(await kenri.inbox("late")).toEqual([]);
  });
});

test("a raw dead letter of another stream is refused by name", async () => {
  const seq = await putOnStream(kenri, "poison of entitlement");
  const find = () =>
    kenri.notificationSql`select id from notification_nats_dlq where stream = ${kenri.environment.ENTITLEMENT_STREAM!} and stream_seq = ${seq}`;
  await until("it is a raw dead letter", 15_000, async () => (await find()).length === 1);
  const id = (await find())[0]!.id as string;
  expect((await reprocess(id)).detail).toContain("not an EntitlementEvent");
  await kenri.notificationSql`update notification_nats_dlq set stream = 'a stream of old' where id = ${id}`;
  const { ENTITLEMENT_STREAM, MATCHMAKING_STREAM } = kenri.environment;
  expect(await reprocess(id)).toMatchObject({
    status: 409,
    code: "UNKNOWN_STREAM",
    detail: `it cannot be read: it came from the stream "a stream of old", and notification reads "${ENTITLEMENT_STREAM}" and "${MATCHMAKING_STREAM}"`,
  });
});

test("entitlement's events are delivered beside all that", () => grantIsTold("last"));
