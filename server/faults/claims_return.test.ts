import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { allRoles, type TestKenri, testKenri } from "../testing/kenri.ts";
import { disorderInStream } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

/** With the leases, deadlines and intervals of a deployment. */
async function asDeployed(): Promise<TestKenri> {
  const kenri = await testKenri({ OUTBOX_SWEEP: "3s", NOTIFICATION_SWEEP: "3s", HEALTH_PORT: "0" });
  closeAtEnd(kenri.close);
  return kenri;
}

const milliseconds = async (work: () => Promise<unknown>) => {
  const since = performance.now();
  await work();
  return performance.now() - since;
};

test("an API killed in its first attempt: the relay publishes its claimed events within 5 s", async () => {
  const kenri = await asDeployed();
  await kenri.start("entitlement:relay");
  const victim = await kenri.start("entitlement:api", { FAULT_KILL_AT: "outbox.published" });
  const load = traffic(kenri, { clients: 4, hot: 2, pause: 0 });
  await victim.killedItself();
  const isPublished = async () => (await kenri.entitlementSql`select from outbox_events where status <> 'PUBLISHED'`).length === 0;
  expect(await isPublished()).toBe(false);
  expect(await milliseconds(() => until("all is published", 30_000, isPublished))).toBeLessThan(5000);
  await load.stop();
});

test("all connections to the databases are cut twice a second: everything is sent within 6 s of the last change, once and in order", async () => {
  const kenri = await asDeployed();
  await kenri.start(allRoles);
  const load = traffic(kenri, { clients: 16, hot: 8, pause: 2 });
  const isRunning = async () => (await kenri.notificationSql`select from notifications where status = 'SENT' limit 50`).length === 50;
  await until("the pipeline runs", 20_000, isRunning);
  let cuts = 0;
  await until(
    "the connections were cut eight times",
    20_000,
    async () => {
      for (const { name } of [kenri.entitlement, kenri.notification])
        await kenri.entitlementSql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and application_name <> 'postgres.js'`;
      return ++cuts === 8;
    },
    500,
  );
  await load.stop();
  expect(await milliseconds(() => drained(kenri, 60_000))).toBeLessThan(6000);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
});
