import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { NatsConnection } from "@nats-io/transport-node";
import { until } from "../../../stack/wait.ts";
import type { AnnouncedAnswer } from "../../contracts/match_events.ts";
import { readSettings } from "../../kernel/config/config.ts";
import { inboxPrefixOf } from "../../kernel/config/nats_access.ts";
import { kernelSettings } from "../../kernel/config/settings.ts";
import { createSignatures, type Refusal } from "../../kernel/nats/signatures.ts";
import { askSigned } from "../../kernel/nats/signed_answers.ts";
import { type TestKenri, type TestProcess, testKenri } from "../../testing/kenri.ts";
import { makeMatchStream, matchMessage, publishMatch, publishUnsignedMatch } from "../../testing/match_events.ts";
import { connectTo } from "../../testing/nats.ts";
import { isoOf } from "./event_rules.ts";

let kenri: TestKenri;
let consumer: TestProcess;
let nats: NatsConnection;
beforeAll(async () => {
  kenri = await testKenri({ HEALTH_PORT: "0" });
  await makeMatchStream(kenri);
  consumer = await kenri.start("notification:api notification:consumer notification:sender");
  nats = await connectTo(kenri.environment.NATS_URL!, { inboxPrefix: inboxPrefixOf("matchmaking:relay") }); // only its questions may be answered
});
afterAll(async () => {
  await nats.close();
  await kenri.close();
});

async function ask(question: unknown, deadline = 3000, environment = kenri.environment) {
  const signatures = createSignatures(readSettings({ keys: kernelSettings.signingKeys }, environment).keys);
  const refusals: Refusal[] = [];
  const { answer } = await askSigned(nats, {
    subject: kenri.environment.ANNOUNCED_SUBJECT!,
    text: typeof question === "string" ? question : JSON.stringify(question),
    deadline,
    signatures,
    read: text => JSON.parse(text) as AnnouncedAnswer,
    refused: one => refusals.push(one),
  });
  return { answer, refusals };
}
const asked = async (question: { match_ids?: readonly string[]; join_ids?: readonly string[] }) => {
  const { answer } = await ask({ match_ids: [], join_ids: [], ...question });
  if (!answer) throw new Error("no answer");
  return { joins: answer.joins.toSorted((a, b) => (a.join_id < b.join_id ? -1 : 1)), unreadable: answer.unreadable };
};
async function announce(...users: [string, string]) {
  const message = matchMessage({ players: users.map(userId => ({ userId })) });
  await publishMatch(kenri, message);
  await until("both are told", 15_000, async () => {
    const rows = await Promise.all(users.map(user => kenri.inbox(user)));
    return rows.every(([row]) => row?.status === "SENT");
  });
  return message.event;
}

test("each announced request is answered with its match, its peer and the session, also when its notification is deleted", async () => {
  const { matchId, session, players, occurredAt } = await announce("ann", "ben");
  const about = { match_id: matchId, session, announced_at: isoOf(occurredAt!), counts: true };
  const expected = [
    { ...about, join_id: players[0]!.joinId, peer_user_ids: ["ben"] },
    { ...about, join_id: players[1]!.joinId, peer_user_ids: ["ann"] },
  ].toSorted((a, b) => (a.join_id < b.join_id ? -1 : 1));
  const join_ids = [...players.map(player => player.joinId), crypto.randomUUID()];
  expect(await asked({ join_ids, match_ids: [matchId] })).toEqual({ joins: expected, unreadable: [] });
  await kenri.notificationSql`delete from notifications`;
  expect((await asked({ join_ids })).joins).toEqual(expected);
  expect(await asked({})).toEqual({ joins: [], unreadable: [] });
});

test("a request that was announced longer ago than TICKET_KEEP counts no more", async () => {
  const { players } = await announce("cat", "dan");
  const join_ids = players.map(player => player.joinId);
  await kenri.notificationSql`update announced_joins set announced_at = now() - interval '1 hour' where join_id = ${join_ids[0]!}`;
  const counts = new Map((await asked({ join_ids })).joins.map(one => [one.join_id, one.counts]));
  expect(join_ids.map(id => counts.get(id))).toEqual([false, true]);
});

test("of the unreadable matches those are answered that have a valid signature and were not reprocessed", async () => {
  const ids = Array.from({ length: 3 }, () => Bun.randomUUIDv7());
  const [signed, unsigned, reprocessed] = ids as [string, string, string];
  for (const id of [signed, reprocessed]) await publishMatch(kenri, { data: `poison ${id}`, headers: { "Nats-Msg-Id": id } });
  await publishUnsignedMatch(kenri, { data: `poison ${unsigned}`, headers: { "Nats-Msg-Id": unsigned } });
  const letters = () => kenri.notificationSql`select from notification_nats_dlq where event_id = any(${ids}::uuid[])`;
  await until("all are raw dead letters", 15_000, async () => (await letters()).length === 3);
  await kenri.notificationSql`update notification_nats_dlq set reprocessed_at = now() where event_id = ${reprocessed}`;
  expect((await asked({ match_ids: ids })).unreadable).toEqual([signed]);
});

test("the answer fits only the keys of Kenri", async () => {
  const { answer, refusals } = await ask({ match_ids: [], join_ids: [] }, 1000, { EVENT_SIGNING_KEYS: `test:${"x".repeat(32)}` });
  expect([answer, refusals.map(one => one.fault)]).toEqual([undefined, ["forged"]]);
});

describe("a question of another form gets no answer and a line in the log", () => {
  const many = Array.from({ length: 1001 }, () => crypto.randomUUID());
  const bad: [what: string, question: unknown][] = [
    ["not JSON", "what?"],
    ["a list", []],
    ["null", null],
    ["no join_ids", { match_ids: [] }],
    ["an id that is none", { match_ids: ["x"], join_ids: [] }],
    ["a number", { match_ids: [], join_ids: [1] }],
    ["one member more", { match_ids: [], join_ids: [], limit: 1 }],
    ["1,001 requests", { match_ids: [], join_ids: many }],
    ["1,001 matches", { match_ids: many, join_ids: [] }],
  ];
  test.each(bad)("%s", async (_, question) => {
    const lines = () => consumer.lines.filter(line => line.includes("responder.failed")).length;
    const before = lines();
    expect((await ask(question, 300)).answer).toBeUndefined();
    await until("it is logged", 5000, () => lines() === before + 1);
  });

  test("a thousand of each are answered", async () => {
    const ids = many.slice(0, 1000);
    expect(await asked({ match_ids: ids, join_ids: ids })).toEqual({ joins: [], unreadable: [] });
  });
});
