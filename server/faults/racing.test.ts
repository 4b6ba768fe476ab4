import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import { disorderInStream } from "../testing/stream.ts";
import { countOf, traffic } from "../testing/traffic.ts";

const events = 2000;
/** For each role the worst point to be killed at, and the metric that shows that another process handled the rest. */
const worst = {
  "entitlement:relay": { point: "outbox.published", met: ["kenri_outbox_reclaimed_total"] },
  "notification:consumer": { point: "intake.committed", met: ["kenri_intake_events_total", 'outcome="duplicate"'] },
  "notification:sender": { point: "notification.sent", met: ["kenri_notifications_reclaimed_total"] },
} as const;
const roles = Object.keys(worst) as (keyof typeof worst)[];

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri({
    OUTBOX_LEASE: "2s",
    NOTIFICATION_LEASE: "2s",
    CONSUMER_ACK_WAIT: "2s",
    INTAKE_BATCH: "50",
    HEALTH_PORT: "0",
  });
  await kenri.start("entitlement:api");
});
afterAll(() => kenri.close());

test("two relays, two consumers and two senders race over 2,000 events and are killed at random: each event has one effect, versions are in order", async () => {
  const living = new Map<string, TestProcess[]>();
  const total = async (role: string, name: string, labels?: string) =>
    (await Promise.all(living.get(role)!.map(one => one.metric(name, labels)))).reduce((a, b) => a + b, 0);
  // Of the consumers every other one leaves its notifications to the senders.
  let consumers = 0;
  const start = (role: string, more: Record<string, string> = {}) =>
    kenri.start(role, {
      ...(role === "notification:consumer" && consumers++ % 2 === 0 ? { NOTIFICATION_FIRST_ATTEMPT: "sender" } : {}),
      ...more,
    });
  for (const role of roles) living.set(role, [await start(role)]);
  const load = traffic(kenri, { clients: 16, hot: 8, pause: 50 });

  for (const role of roles) {
    const { point, met } = worst[role];
    const victim = await start(role, { FAULT_KILL_AT: point });
    await victim.killedItself();
    living.get(role)!.push(await start(role));
    await until(`another ${role} meets what the dead one left`, 15_000, async () => (await total(role, met[0], met[1])) > 0);
    const [atRandom] = living.get(role)!.splice(Math.floor(Math.random() * 2), 1);
    atRandom!.kill("SIGKILL");
    living.get(role)!.push(await start(role));
  }

  await until("2,000 events were asked for", 60_000, () => countOf(load.ledger.granted) >= events);
  await load.stop();
  await drained(kenri);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  expect(await latecomersMarkedWrongly()).toBe(0);
});

/** An event that was consumed after a newer one of its aggregate is stale, unless both were in one batch. */
const latecomersMarkedWrongly = async () =>
  (
    await kenri.notificationSql`
      select from processed_events late
      where stale <> exists (select from processed_events newer where newer.aggregate_key = late.aggregate_key
        and newer.aggregate_version > late.aggregate_version and newer.processed_at < late.processed_at and newer.xmin <> late.xmin)`
  ).length;
