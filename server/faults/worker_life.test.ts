import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import { traffic } from "../testing/traffic.ts";

let kenri: TestKenri;
let process: TestProcess;
beforeAll(async () => {
  kenri = await testKenri({ OUTBOX_LEASE: "2s", NOTIFICATION_LEASE: "2s", CONSUMER_ACK_WAIT: "2s" });
  process = await kenri.start("entitlement notification");
});
afterAll(() => kenri.close());

const crash = (system: "entitlement" | "notification") =>
  kenri.call(system, "/debug/faults", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user_prefix: "", crash: true }),
  });

test.each([
  ["entitlement", "entitlement:relay", "kenri_outbox_events_total"],
  ["notification", "notification:sender", "kenri_notifications_total"],
] as const)(
  "a worker of %s that crashes under load is restarted, requests continue, and no counter falls",
  async (system, role, counter) => {
    const load = traffic(kenri, { pause: 30, prefix: system });
    const restarts = () => kenri.metric(system, "kenri_worker_restarts_total", `role="${role}"`);
    const told = async () =>
      (await kenri.notificationSql`select from notifications where status = 'SENT' and user_id like ${`${system}%`}`).length;
    for (const time of [1, 2]) {
      const before = await told();
      await until(
        "work is done and counted",
        15_000,
        async () => (await told()) > before + 20 && (await kenri.metric(system, counter)) > 0,
      );
      const count = await kenri.metric(system, counter);
      await until(`it is started again, time ${time}`, 15_000, async () => {
        await crash(system); // a worker that does not listen yet misses it
        return (await restarts()) >= time;
      });
      expect(await kenri.metric(system, counter)).toBeGreaterThanOrEqual(count);
      const then = await told();
      await until("it works again", 15_000, async () => (await told()) > then + 20);
    }
    const ledger = await load.stop();
    expect([...ledger.answers.keys()]).toEqual([200]);
    await drained(kenri);
    expect((await findInconsistencies(kenri, ledger)).filter(fault => fault.startsWith(system))).toEqual([]);
    await until("it is no longer degraded", 20_000, async () => (await kenri.readiness(system)).status === "ready");
    expect(process.lines.filter(line => line.includes("worker.error") && line.includes("made to crash"))).not.toEqual([]);
  },
);

test("the process still exits in time with 0", async () => {
  expect(await process.stop()).toBe(0);
});
