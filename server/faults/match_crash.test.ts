import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { consumerBacklog } from "../kernel/nats/streams.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import { type MatchMessage, makeMatchStream, matchMessage, publishMatch } from "../testing/match_events.ts";
import { withNats } from "../testing/stream.ts";

const pairs = 10;

/** Matches, one unreadable message, and for every second match another one with one of its requests to join are on the stream. */
async function published() {
  const kenri = await testKenri({ CONSUMER_ACK_WAIT: "2s", NOTIFICATION_SEND_WITHIN: "500ms", HEALTH_PORT: "0" });
  closeAtEnd(kenri.close);
  await makeMatchStream(kenri);
  await kenri.start("notification:sender");
  const matches = Array.from({ length: pairs }, (_, n) => matchMessage({ players: [{ userId: `a-${n}` }, { userId: `b-${n}` }] }));
  const rivals = matches
    .filter((_, n) => n % 2 === 0)
    .map(({ event }, n) =>
      matchMessage({ players: [{ userId: event.players[0]!.userId, joinId: event.players[0]!.joinId }, { userId: `c-${n}` }] }),
    );
  for (const message of matches) await publishMatch(kenri, message);
  await publishMatch(kenri, { data: "poison", headers: {} });
  for (const message of rivals) await publishMatch(kenri, message);
  return { kenri, matches, rivals };
}

const outcome = (process: TestProcess, name: string) =>
  process.metric("kenri_intake_events_total", `source="matchmaking",outcome="${name}"`);

/** Every message is acknowledged, and every notification sent. */
const drained = (kenri: TestKenri) =>
  until("all is consumed and sent", 30_000, async () => {
    const { MATCHMAKING_STREAM, MATCHMAKING_CONSUMER = "notification-matchmaking-consumer" } = kenri.environment;
    const backlog = await withNats(kenri, nats => consumerBacklog(nats, MATCHMAKING_STREAM!, MATCHMAKING_CONSUMER));
    const unsent = await kenri.notificationSql`select from notifications where status <> 'SENT'`;
    return backlog?.open === 0 && unsent.length === 0;
  });

/** Both players of each match are told once, nobody of a rival, and each request to join is announced in its first match. */
async function expectTold(kenri: TestKenri, matches: readonly MatchMessage[]) {
  const rows = await kenri.notificationSql<{ event_id: string; user_id: string; status: string; attempts: number }[]>`
    select event_id, user_id, status, (select count(*) from delivery_attempts a where a.notification_id = n.notification_id and outcome = 'sent') as attempts
    from notifications n`;
  const wanted = matches.flatMap(({ event }) => event.players.map(({ noticeId }) => noticeId));
  expect(rows.map(row => row.event_id).toSorted()).toEqual(wanted.toSorted());
  expect(rows.filter(row => row.status !== "SENT" || row.attempts !== 1)).toEqual([]);
  expect(await kenri.notificationSql`select from announced_joins`).toHaveLength(wanted.length);
  const torn = await kenri.notificationSql`select match_id from announced_joins group by match_id having count(*) <> 2`;
  expect([...torn]).toEqual([]);
  expect(await kenri.notificationSql`select from notification_nats_dlq`).toHaveLength(1);
}
const stored = async ({ notificationSql }: TestKenri) => (await notificationSql`select from announced_joins`).length;

test.concurrent("a consumer killed before its commit has announced nothing; the matches are redelivered and each player is told once", async () => {
  const { kenri, matches, rivals } = await published();
  await (await kenri.start("notification:consumer", { FAULT_KILL_AT: "intake.before_commit" })).killedItself();
  expect(await stored(kenri)).toBe(0);
  const next = await kenri.start("notification:consumer");
  await drained(kenri);
  await expectTold(kenri, matches);
  expect([await outcome(next, "duplicate"), await outcome(next, "conflict")]).toEqual([0, rivals.length]);
});

test.concurrent("a consumer killed after its commit and before the ack: the matches are redelivered, counted as duplicates, and each player is told once", async () => {
  const { kenri, matches } = await published();
  await (await kenri.start("notification:consumer", { FAULT_KILL_AT: "intake.committed" })).killedItself();
  const before = await stored(kenri);
  expect(before).toBeGreaterThan(0);
  const next = await kenri.start("notification:consumer");
  await drained(kenri);
  await expectTold(kenri, matches);
  expect(await outcome(next, "duplicate")).toBeGreaterThanOrEqual(before / 2);
});

test.concurrent("two consumers that are killed again and again: no request is announced twice, nobody is told twice", async () => {
  const { kenri, matches } = await published();
  for (const point of ["intake.committed", "intake.before_commit"]) {
    const [victim] = await Promise.all([
      kenri.start("notification:consumer", { FAULT_KILL_AT: point }),
      kenri.start("notification:consumer"),
    ]);
    const again = matchMessage({ players: [{ userId: `${point}-1` }, { userId: `${point}-2` }] });
    await publishMatch(kenri, again);
    matches.push(again);
    await Promise.race([victim.killedItself(), drained(kenri)]);
  }
  await drained(kenri);
  const rows = await kenri.notificationSql`select user_id from notifications where type = 'MatchFound'`;
  expect(new Set(rows.map(row => row.user_id)).size).toBe(rows.length);
  expect(rows).toHaveLength(matches.length * 2);
});
