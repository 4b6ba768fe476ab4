import { afterAll, expect, test } from "bun:test";
import { drained, faultsInBooks } from "../testing/books.ts";
import { type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import { disorderInStream } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

// `KENRI_ORDER_CHANGES=20000 bun run test server/faults/order.test.ts` takes longer and shows more.
const changes = Number(process.env.KENRI_ORDER_CHANGES ?? 2000);
const workers = ["entitlement:relay", "notification:consumer", "notification:sender"] as const;

const open: TestKenri[] = [];
afterAll(() => Promise.all(open.map(kenri => kenri.close())));

/** Notifications of a pair that stand in the feed before an earlier version. */
const misplaced = ({ notificationSql }: TestKenri) => notificationSql`
  select aggregate_key, aggregate_version from (
    select *, position > lead(position) over (partition by aggregate_key order by aggregate_version) as behind from notifications) one where behind`;

const total = async (processes: readonly TestProcess[], name: string, labels?: string) =>
  (await Promise.all(processes.map(one => one.metric(name, labels)))).reduce((a, b) => a + b, 0);

test(`two relays, two consumers and two senders, ${changes} changes of 20 busy pairs: no event is stale, the feed is in order`, async () => {
  const kenri = await testKenri({ HEALTH_PORT: "0" });
  open.push(kenri);
  await kenri.start("entitlement:api");
  const consumers: TestProcess[] = [];
  for (const role of workers) {
    const pair = [await kenri.start(role), await kenri.start(role)];
    if (role === "notification:consumer") consumers.push(...pair);
  }
  const load = traffic(kenri, { clients: 20, hot: 20, pause: 0, requests: changes });
  await load.done;
  await drained(kenri, 120_000);
  expect(await faultsInBooks(kenri, load.ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  expect(await kenri.notificationSql`select from processed_events where stale`).toHaveLength(0);
  expect([...(await misplaced(kenri))]).toEqual([]);
  // Both consumers had their share, and none was let through.
  for (const one of consumers) expect(await one.metric("kenri_intake_events_total", 'outcome="accepted"')).toBeGreaterThan(0);
  expect(await total(consumers, "kenri_intake_gaps_total")).toBe(0);
  if (process.env.KENRI_ORDER_CHANGES) console.log(`${await total(consumers, "kenri_intake_events_total", 'outcome="waiting"')} waits`);
}, 600_000);
