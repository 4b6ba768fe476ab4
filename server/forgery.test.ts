// Somebody with every right on NATS, but without the keys.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jetstream } from "@nats-io/jetstream";
import { until } from "../stack/wait.ts";
import { counted } from "./testing/counted.ts";
import { eventMessage, signedHeaders } from "./testing/events.ts";
import { type TestKenri, testKenri } from "./testing/kenri.ts";
import { makeMatchStream, matchMessage, publishMatch, publishUnsignedMatch, signedMatchHeaders } from "./testing/match_events.ts";
import { connectTo } from "./testing/nats.ts";
import { putUnsigned, streamOf } from "./testing/stream.ts";

const durable = "notification-entitlement-consumer";
let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri({ OUTBOX_OVERDUE: "1s", CONSUMER_ACK_WAIT: "2s" });
  await kenri.start("entitlement notification");
});
afterAll(() => kenri.close());

const grantAll = async (users: readonly string[]) => {
  for (const user of users) expect((await kenri.grant(user, "item")).status).toBe(200);
};
const isTold = async (user: string) => (await kenri.inbox(user)).some(({ status }) => status === "SENT");
const ask = async (system: "entitlement" | "notification", path: string) => (await kenri.call(system, path)).json();
const openLetters = async () => ((await ask("notification", "/ops/raw-dead-letters/counts")) as { open: { count: number } }).open.count;
const reprocess = async (id: string) => {
  const body = JSON.stringify({ reason: "please" });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const response = await kenri.call("notification", `/ops/raw-dead-letters/${id}/reprocess`, init);
  return { ...((await response.json()) as { code?: string; detail?: string }), status: response.status };
};

interface Letter {
  readonly id: string;
  readonly reason: string;
  readonly untrusted: string | null;
}

async function letterOf(seq: number): Promise<Letter> {
  const find = () =>
    kenri.notificationSql<
      Letter[]
    >`select id, reason, untrusted from notification_nats_dlq where stream = ${streamOf(kenri)} and stream_seq = ${seq}`;
  await until(`message ${seq} is a raw dead letter`, 15_000, async () => (await find()).length === 1);
  return (await find())[0]!;
}

/** Takes notification's messages from its consumer, acknowledges them, and answers which events it holds: all that are asked for. */
async function thief() {
  const nats = await connectTo(kenri.environment.NATS_URL!);
  const consumer = await jetstream(nats).consumers.get(streamOf(kenri), durable);
  let [stolen, answered, isOver] = [0, 0, false];
  const steal = async () => {
    while (!isOver) {
      for await (const message of await consumer.fetch({ max_messages: 50, expires: 1000 })) {
        if (isOver) continue;
        message.ack();
        stolen++;
      }
    }
  };
  nats.subscribe(kenri.environment.TAKEN_IN_SUBJECT!, {
    callback: (_, question) => {
      question.respond(question.data);
      answered++;
    },
  });
  const stealing = Promise.all(Array.from({ length: 8 }, steal)).catch(() => {});
  return {
    stolen: () => stolen,
    answered: () => answered,
    async stop() {
      isOver = true;
      await stealing;
      await nats.close();
    },
  };
}

test("stolen messages and false answers: nothing is lost, nothing is confirmed by them, and the console shows them", async () => {
  await grantAll(["before"]);
  await until("the pipeline runs", 15_000, () => isTold("before"));
  const users = Array.from({ length: 30 }, (_, n) => `robbed-${n}`);
  const robber = await thief();
  const confirmedAndNotHeld = async () => {
    const confirmed = await kenri.entitlementSql`select event_id from outbox_events where confirmed_at is not null`;
    const held = new Set((await kenri.notificationSql`select event_id from processed_events`).map(row => row.event_id));
    return confirmed.map(row => row.event_id).filter(id => !held.has(id));
  };
  try {
    await grantAll(users);
    await until("messages are stolen and false answers given", 20_000, () => robber.stolen() >= 10 && robber.answered() >= 5);
    const relay = async () => {
      const { workers } = (await ask("entitlement", "/ops/health")) as { workers: { name: string; state: string; detail: string }[] };
      return workers.find(({ name }) => name === "entitlement:relay");
    };
    await until("health says so", 15_000, async () => (await relay())?.state === "trouble");
    expect((await relay())?.detail).toMatch(/^confirmation: \d+ answers? with a wrong signature refused/);
    await counted(1, () => kenri.metric("entitlement", "kenri_outbox_answers_refused_total", 'reason="unsigned"'));
    expect(await confirmedAndNotHeld()).toEqual([]);
  } finally {
    await robber.stop();
  }
  for (const user of users) await until(`${user} is told`, 60_000, () => isTold(user));
  expect(await confirmedAndNotHeld()).toEqual([]);
  await until(
    "all is confirmed without anybody's help",
    30_000,
    async () => (await kenri.entitlementSql`select from outbox_events where confirmed_at is null`).length === 0,
  );
});

test("a forged version makes no real event stale: forged events are raw dead letters that say why, and are counted", async () => {
  const before = await openLetters();
  const forged = [
    { version: 2n ** 53n - 1n, keys: undefined, reason: /^unsigned: it has no Kenri-Signature header$/, fault: "unsigned" },
    { version: 999_999_999n, keys: `test:${"guess".repeat(8)}`, reason: /^forged: its signature with the key "test"/, fault: "forged" },
    { version: 1_000n, keys: `mine:${"guess".repeat(8)}`, reason: /^signed with the unknown key "mine"/, fault: "unknown_key" },
  ];
  for (const { version, keys, reason, fault } of forged) {
    const { data, headers } = eventMessage({ userId: "victim", version });
    const environment = { ...kenri.environment, EVENT_SIGNING_KEYS: keys ?? "" };
    const { id, untrusted, ...letter } = await letterOf(await putUnsigned(kenri, data, signedHeaders(environment, data, headers)));
    expect(letter.reason).toMatch(reason);
    expect(untrusted).toBe(fault);
    expect(await reprocess(id)).toMatchObject({
      status: 409,
      code: "STILL_UNTRUSTED",
      detail: expect.stringMatching(/^it is not consumed: /),
    });
    const counted = () => kenri.metric("notification", "kenri_intake_refused_total", `reason="${fault}"`);
    await until("it is counted", 5000, async () => (await counted()) > 0);
  }
  await kenri.grant("victim", "item");
  await kenri.revoke("victim", "item");
  await kenri.grant("victim", "item");
  const rows = () => kenri.inbox("victim");
  await until("the real events are told", 15_000, async () => (await rows()).filter(({ status }) => status === "SENT").length === 3);
  expect((await rows()).map(({ stale, payload }) => [payload.version, stale])).toEqual([
    [3, false],
    [2, false],
    [1, false],
  ]);
  expect(await openLetters()).toBe(before + forged.length);
});

test("a forged message with the id of an event does not count as that event", async () => {
  const fault = (user_prefix: string) =>
    kenri.call("entitlement", "/debug/faults", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user_prefix }),
    });
  // The stream takes the event for a repetition of what came under its id. The one is no event; the other would be acknowledged and forgotten.
  const strangers = { "displaced-1": {}, "displaced-2": { "Kenri-Probe": "1" } };
  await fault("displaced");
  const letters: Letter[] = [];
  for (const [user, headers] of Object.entries(strangers)) {
    expect((await kenri.grant(user, "item")).status).toBe(200);
    const [event] = await kenri.entitlementSql`select event_id from outbox_events where aggregate_key = ${`${user}:item`}`;
    letters.push(await letterOf(await putUnsigned(kenri, "nothing", { "Nats-Msg-Id": event!.event_id, ...headers })));
  }
  await fault("");
  for (const letter of letters) expect(letter).toMatchObject({ reason: expect.stringMatching(/^unsigned/), untrusted: "unsigned" });
  for (const user of Object.keys(strangers)) await until(`${user} is told`, 30_000, () => isTold(user));
});

describe("forged matches", () => {
  const matchLetterOf = async (seq: number) => {
    const find = () => kenri.notificationSql<Letter[]>`select id, reason, untrusted from notification_nats_dlq
      where stream = ${kenri.environment.MATCHMAKING_STREAM!} and stream_seq = ${seq}`;
    await until(`match ${seq} is a raw dead letter`, 15_000, async () => (await find()).length === 1);
    return (await find())[0]!;
  };
  const forgeries: [fault: string, keys: string][] = [
    ["unsigned", ""],
    ["forged", `test:${"guess".repeat(8)}`],
    ["unknown_key", `mine:${"guess".repeat(8)}`],
  ];

  test.each(forgeries)("%s: nobody is told, the request to join stays free, and the real match is told", async (fault, keys) => {
    await makeMatchStream(kenri);
    const victim = { userId: `victim of ${fault}`, joinId: crypto.randomUUID() };
    const forged = matchMessage({ players: [victim, { userId: `stranger of ${fault}` }] });
    const environment = { ...kenri.environment, EVENT_SIGNING_KEYS: keys };
    const seq = await publishUnsignedMatch(kenri, { ...forged, headers: signedMatchHeaders(environment, forged) });
    const letter = await matchLetterOf(seq);
    expect(letter.untrusted).toBe(fault);
    expect(await reprocess(letter.id)).toMatchObject({ status: 409, code: "STILL_UNTRUSTED" });
    expect(await kenri.notificationSql`select from announced_joins where join_id = ${victim.joinId}`).toHaveLength(0);
    const counted = () => kenri.metric("notification", "kenri_intake_refused_total", `source="matchmaking",reason="${fault}"`);
    await until("it is counted", 5000, async () => (await counted()) > 0);
    await publishMatch(kenri, matchMessage({ players: [victim, { userId: `peer of ${fault}` }] }));
    await until("the real match is told", 15_000, async () => (await isTold(victim.userId)) && (await isTold(`peer of ${fault}`)));
    expect(await kenri.inbox(`stranger of ${fault}`)).toEqual([]);
  });

  test("a signed entitlement event that is replayed on the subject of matches, and a match on the subject of entitlement, are forged", async () => {
    const event = eventMessage({ userId: "replayed" });
    const moved = await publishUnsignedMatch(kenri, { ...event, headers: signedHeaders(kenri.environment, event.data, event.headers) });
    expect((await matchLetterOf(moved)).untrusted).toBe("forged");
    const match = matchMessage();
    const seq = await putUnsigned(kenri, match.data, signedMatchHeaders(kenri.environment, match));
    const find = () =>
      kenri.notificationSql`select untrusted from notification_nats_dlq where stream = ${streamOf(kenri)} and stream_seq = ${seq}`;
    await until("it is a raw dead letter", 15_000, async () => (await find()).length === 1);
    expect((await find())[0]!.untrusted).toBe("forged");
  });
});

test("a letter that was trusted when it came can be read after its key was replaced: the outbox counts it as delivered", async () => {
  const { data, headers } = eventMessage({ userId: "rotated" });
  const signed = signedHeaders({ ...kenri.environment, EVENT_SIGNING_KEYS: `gone:${"g".repeat(32)}` }, data, headers);
  const { id } = await letterOf(await putUnsigned(kenri, data, signed));
  expect((await reprocess(id)).status).toBe(409);
  await kenri.notificationSql`update notification_nats_dlq set untrusted = null where id = ${id}`;
  expect((await reprocess(id)).status).toBe(200);
  await until("it is told", 15_000, () => isTold("rotated"));
});

test("a letter whose key was missing is consumed when the key is there; without keys everything is taken as before", async () => {
  const [next, other] = [`next:${"n".repeat(32)}`, `other:${"o".repeat(32)}`];
  const letterBy = async (userId: string, keys: string) => {
    const { data, headers } = eventMessage({ userId });
    const environment = { ...kenri.environment, EVENT_SIGNING_KEYS: keys };
    return letterOf(await putUnsigned(kenri, data, signedHeaders(environment, data, headers)));
  };
  const [known, unknown] = [await letterBy("late", next), await letterBy("never", other)];
  await kenri.start("notification:api", { EVENT_SIGNING_KEYS: `${kenri.environment.EVENT_SIGNING_KEYS},${next}` });
  expect((await reprocess(known.id)).status).toBe(200);
  expect(await reprocess(unknown.id)).toMatchObject({ status: 409, code: "STILL_UNTRUSTED" });
  await until("it is told", 15_000, () => isTold("late"));
  await kenri.start("notification:api", { EVENT_SIGNING_KEYS: "" });
  expect((await reprocess(unknown.id)).status).toBe(200);
});
