import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { disorderInStream, putOnStream } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

/** 30 grants and revokes and one unreadable message are on the stream, and a consumer with a fault reads them. */
async function meets(fault: string) {
  const kenri = await testKenri({ CONSUMER_ACK_WAIT: "2s", NOTIFICATION_SEND_WITHIN: "500ms", HEALTH_PORT: "0" });
  closeAtEnd(kenri.close);
  await kenri.start("entitlement:api entitlement:relay notification:sender");
  const load = traffic(kenri, { clients: 4, hot: 1, pause: 0, requests: 30 });
  await load.done;
  await until(
    "all is published",
    20_000,
    async () => (await kenri.entitlementSql`select from outbox_events where status <> 'PUBLISHED'`).length === 0,
  );
  await putOnStream(kenri, "poison");
  const victim = await kenri.start("notification:consumer", { FAULT_KILL_AT: fault });
  await victim.killedItself();
  return { kenri, ledger: load.ledger };
}

const taken = async ({ notificationSql }: TestKenri) =>
  (await notificationSql`select from processed_events join notifications using (event_id)`).length;

test.concurrent("a consumer killed before its commit has consumed nothing; the events are redelivered and each is sent once", async () => {
  const { kenri, ledger } = await meets("intake.before_commit");
  expect(await taken(kenri)).toBe(0);
  const next = await kenri.start("notification:consumer");
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  expect(await next.metric("kenri_intake_events_total", 'outcome="duplicate"')).toBe(0);
});

test.concurrent("a consumer killed after its commit and before the ack: the events are redelivered, counted as duplicates and sent once", async () => {
  const { kenri, ledger } = await meets("intake.committed");
  const before = await taken(kenri);
  expect(before).toBeGreaterThan(0);
  const next = await kenri.start("notification:consumer");
  await drained(kenri);
  await until(
    "the redelivered are counted",
    20_000,
    async () => (await next.metric("kenri_intake_events_total", 'outcome="duplicate"')) === before,
  );
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
});

test.concurrent("a consumer that hangs after its commit acknowledges late, and nothing is sent twice", async () => {
  const kenri = await testKenri({ CONSUMER_ACK_WAIT: "1s", NOTIFICATION_SEND_WITHIN: "500ms", HEALTH_PORT: "0" });
  closeAtEnd(kenri.close);
  await kenri.start("entitlement:api entitlement:relay notification:sender");
  const zombie = await kenri.start("notification:consumer", { FAULT_STOP_AT: "intake.committed" });
  const load = traffic(kenri, { clients: 4, hot: 1, pause: 0, requests: 30 });
  await zombie.hung();
  await load.done;
  const other = await kenri.start("notification:consumer");
  await until(
    "the messages of the zombie are redelivered",
    20_000,
    async () => (await other.metric("kenri_intake_events_total", 'outcome="duplicate"')) > 0,
  );
  zombie.kill("SIGCONT");
  await drained(kenri);
  expect(await zombie.stop()).toBe(0);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
});
