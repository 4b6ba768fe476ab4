import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { testServer } from "../testing/databases.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { privateServers } from "../testing/servers.ts";
import { streamOf, withNats } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

const quick = {
  LIVENESS_EVERY: "200ms",
  LIVENESS_LOOKS: "8",
  OUTBOX_LEASE: "1s",
  NOTIFICATION_LEASE: "1s",
  CONSUMER_ACK_WAIT: "1s",
  SHUTDOWN_WITHIN: "3s",
  // The workers do all work, so that a stuck one leaves a backlog.
  OUTBOX_FIRST_ATTEMPT: "relay",
  NOTIFICATION_FIRST_ATTEMPT: "sender",
};

async function kenriWith(servers?: { postgresUrl: string; natsUrl: string }): Promise<TestKenri> {
  const kenri = await testKenri(quick, servers);
  closeAtEnd(kenri.close);
  return kenri;
}

const sent = async ({ notificationSql }: TestKenri) => (await notificationSql`select from notifications where status = 'SENT'`).length;

const setFaults = (kenri: TestKenri, system: "entitlement" | "notification", faults: { user_prefix: string; stick?: boolean }) =>
  kenri.call(system, "/debug/faults", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(faults),
  });

// The longest one first: the others run beside it.
test.concurrent("no worker counts as stuck while NATS or its store is away, while events wait for their retry, or after the process was paused", async () => {
  const servers = await privateServers("nats");
  closeAtEnd(() => servers.stop());
  const kenri = await kenriWith({ postgresUrl: testServer(), natsUrl: servers.nats.url });
  const process = await kenri.start("entitlement notification");
  const load = traffic(kenri, { pause: 60 });
  await until("the pipeline runs", 60_000, async () => (await sent(kenri)) > 20);
  const looksPass = async () => {
    const since = performance.now();
    await until("twice as many looks as make a worker stuck", 10_000, () => performance.now() - since > 2 * 8 * 220);
  };
  await servers.nats.halt();
  await looksPass();
  await servers.nats.start();
  const maxBytes = (bytes: number) =>
    withNats(kenri, async (_, { streams }) => {
      const { config } = await streams.info(streamOf(kenri));
      await streams.update(streamOf(kenri), { ...config, max_bytes: bytes, discard: "new" as typeof config.discard });
    });
  const before = await sent(kenri);
  await until("it works again", 20_000, async () => (await sent(kenri)) > before + 20);
  await maxBytes(1);
  await looksPass();
  await maxBytes(-1);
  process.kill("SIGSTOP");
  await looksPass();
  process.kill("SIGCONT");
  const ledger = await load.stop();
  await drained(kenri);
  await setFaults(kenri, "entitlement", { user_prefix: "late" });
  for (const change of [kenri.grant, kenri.revoke]) expect((await change("late", "item")).status).toBe(200);
  await looksPass();
  // An attempt may be under way at this moment.
  expect(await kenri.entitlementSql`select from outbox_events where status in ('PENDING', 'IN_FLIGHT')`).toHaveLength(2);
  await setFaults(kenri, "entitlement", { user_prefix: "" });
  await drained(kenri);
  expect([...ledger.answers.keys()]).toEqual([200]);
  expect(process.lines.filter(line => /worker.stuck|ended_unasked/.test(line))).toEqual([]);
});

test.concurrent.each([
  ["entitlement", ["entitlement:relay"]],
  ["notification", ["notification:sender", "notification:consumer"]],
] as const)("stuck worker threads of %s are detected, counted and restarted, and the backlog drains", async (system, roles) => {
  const kenri = await kenriWith();
  const process = await kenri.start("entitlement notification");
  const load = traffic(kenri, { pause: 60 });
  await until("the pipeline runs", 60_000, async () => (await sent(kenri)) > 20);
  const count = (name: string, role: string) => kenri.metric(system, name, `role="${role}"`);
  for (const role of roles) expect(await count("kenri_worker_stuck_total", role)).toBe(0);
  await setFaults(kenri, system, { user_prefix: "", stick: true });
  await until(`${roles} were stuck and are started again`, 30_000, async () => {
    const counts = await Promise.all(
      roles.flatMap(role => [count("kenri_worker_stuck_total", role), count("kenri_worker_restarts_total", role)]),
    );
    return counts.every(one => one === 1);
  });
  const before = await sent(kenri);
  await until("it works again", 15_000, async () => (await sent(kenri)) > before + 20);
  const ledger = await load.stop();
  await drained(kenri);
  expect([...ledger.answers.keys()]).toEqual([200]);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  for (const role of roles) {
    expect(process.lines.filter(line => line.includes("worker.stuck") && line.includes(role))).toHaveLength(1);
    expect(process.lines.filter(line => line.includes("worker.ended_unasked") && line.includes("nothing was done"))).not.toEqual([]);
  }
  await until("it is no longer degraded", 20_000, async () => (await kenri.readiness(system)).status === "ready");
});

test.concurrent.each(["entitlement:relay", "notification:consumer", "notification:sender"])(
  "a stuck %s in a process of its own logs it and exits with 1, and its successor drains the backlog",
  async role => {
    const kenri = await kenriWith();
    const others = ["entitlement:api", "entitlement:relay", "notification:api", "notification:consumer", "notification:sender"];
    await kenri.start(others.filter(other => other !== role).join(" "));
    const stuck = kenri.launch(role, { FAULT_STUCK_ROLE: role });
    const load = traffic(kenri, { pause: 0, requests: 40 });
    await load.done;
    await stuck.logged("worker.stuck");
    expect(await stuck.exited).toBe(1);
    expect(await sent(kenri)).toBe(0);
    kenri.launch(role);
    await drained(kenri);
    await until("all is delivered", 20_000, async () => (await sent(kenri)) === 40);
    expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
  },
);
