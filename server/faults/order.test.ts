import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { counted } from "../testing/counted.ts";
import { type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import { disorderInStream } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

// `KENRI_ORDER_CHANGES=20000 bun run test server/faults/order.test.ts` takes longer and tests more.
const changes = Number(process.env.KENRI_ORDER_CHANGES ?? 2000);
const workers = ["entitlement:relay", "notification:consumer", "notification:sender"] as const;

/** Starts two of each worker. */
async function pairsOf(kenri: TestKenri): Promise<Map<string, TestProcess[]>> {
  const living = new Map<string, TestProcess[]>();
  for (const role of workers) living.set(role, [await kenri.start(role), await kenri.start(role)]);
  return living;
}

/** Notifications of a pair that are in the feed before an earlier version. */
const misplaced = ({ notificationSql }: TestKenri) => notificationSql`
  select aggregate_key, aggregate_version from (
    select *, position > lead(position) over (partition by aggregate_key order by aggregate_version) as behind from notifications) one where behind`;

const total = async (processes: readonly TestProcess[], name: string, labels?: string) =>
  (await Promise.all(processes.map(one => one.metric(name, labels)))).reduce((a, b) => a + b, 0);

test(`two relays, two consumers and two senders, ${changes} changes of 20 hot pairs: no event is stale, the feed is in order`, async () => {
  const kenri = await testKenri({ HEALTH_PORT: "0" });
  closeAtEnd(kenri.close);
  await kenri.start("entitlement:api");
  const consumers = (await pairsOf(kenri)).get("notification:consumer")!;
  const load = traffic(kenri, { clients: 20, hot: 20, pause: 0, requests: changes });
  await load.done;
  await drained(kenri, 120_000);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  expect(await kenri.notificationSql`select from processed_events where stale`).toHaveLength(0);
  expect([...(await misplaced(kenri))]).toEqual([]);
  // Both consumers consumed events, and no event was accepted across a gap.
  for (const one of consumers) await counted(1, () => one.metric("kenri_intake_events_total", 'outcome="accepted"'));
  expect(await total(consumers, "kenri_intake_gaps_total")).toBe(0);
  if (process.env.KENRI_ORDER_CHANGES) console.log(`${await total(consumers, "kenri_intake_events_total", 'outcome="waiting"')} waits`);
}, 600_000);

test("the same while one of each is killed at random: every stale event was overtaken by one that was accepted across a gap, and the gap was logged", async () => {
  const kenri = await testKenri({
    HEALTH_PORT: "0",
    OUTBOX_LEASE: "2s",
    NOTIFICATION_LEASE: "2s",
    CONSUMER_ACK_WAIT: "2s",
    INTAKE_PATIENCE: "1s",
  });
  closeAtEnd(kenri.close);
  await kenri.start("entitlement:api");
  const living = await pairsOf(kenri);
  const consumers = [...living.get("notification:consumer")!];
  const load = traffic(kenri, { clients: 20, hot: 20, pause: 40 });
  const sent = async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length;
  for (const role of workers) {
    const before = await sent();
    await until("the pipeline runs", 30_000, async () => (await sent()) > before + 200);
    living.get(role)![Math.floor(Math.random() * 2)]!.kill("SIGKILL");
    const another = await kenri.start(role);
    if (role === "notification:consumer") consumers.push(another);
  }
  await load.stop();
  await drained(kenri);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  const acrossGap = consumers
    .flatMap(one => one.lines.filter(line => line.includes("intake.gap")))
    .map(line => JSON.parse(line).event_id as string);
  const unexplained = await kenri.notificationSql`
    select aggregate_key, aggregate_version from processed_events late where stale and not exists (
      select from processed_events through where through.aggregate_key = late.aggregate_key and through.aggregate_version > late.aggregate_version
        and event_id = any (${acrossGap}::uuid[]))`;
  expect([...unexplained]).toEqual([]);
});
