import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained } from "../testing/consistency.ts";
import { testServer } from "../testing/databases.ts";
import { endsInTime, momentOf } from "../testing/ending.ts";
import { allRoles, type Servers, type TestKenri, testKenri, testNats } from "../testing/kenri.ts";
import { privateServers } from "../testing/servers.ts";
import { traffic } from "../testing/traffic.ts";

const relays = "entitlement:relay notification:consumer notification:sender";

async function started(servers: Servers) {
  const kenri = await testKenri({ OUTBOX_LEASE: "5s", NOTIFICATION_LEASE: "5s" }, servers);
  closeAtEnd(kenri.close);
  return kenri;
}

async function withOwnPostgres() {
  const { postgres, stop } = await privateServers("postgres");
  closeAtEnd(stop);
  return { postgres, kenri: await started({ postgresUrl: postgres.adminUrl, natsUrl: testNats() }) };
}

/** A process under load. */
async function inFullSwing(kenri: TestKenri, what: string, prefix = "user") {
  const process = await kenri.start(what);
  const load = traffic(kenri, { pause: 60, prefix });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT' and user_id like ${`${prefix}%`}`).length > 20,
  );
  return { process, load };
}

test.concurrent("SIGTERM while NATS is away, and while it hangs: exits with 0 in time", async () => {
  const servers = await privateServers("nats");
  closeAtEnd(() => servers.stop());
  const kenri = await started({ postgresUrl: testServer(), natsUrl: servers.nats.url });
  const away = await inFullSwing(kenri, allRoles);
  await servers.nats.halt();
  await away.process.logged("broker.disconnected");
  expect(await endsInTime(away.process)).toBe(0);
  await away.load.stop();
  await servers.nats.start();
  const hanging = await inFullSwing(kenri, "entitlement notification", "more");
  servers.nats.pause();
  expect(await endsInTime(hanging.process)).toBe(0);
  servers.nats.resume();
  await hanging.load.stop();
  await kenri.start(allRoles);
  await drained(kenri);
});

test.concurrent("SIGTERM while PostgreSQL is away: exits with 0 in time; also while it waits for it to start", async () => {
  const { kenri, postgres } = await withOwnPostgres();
  const away = await inFullSwing(kenri, allRoles);
  await postgres.halt();
  await until("requests are refused", 10_000, () => (away.load.ledger.answers.get(503) ?? 0) > 0);
  expect(await endsInTime(away.process)).toBe(0);
  const starting = await kenri.start(relays);
  await starting.logged("store.waiting");
  expect(await endsInTime(starting)).toBe(0);
  await away.load.stop();
  // It waits for a database that was killed.
  await postgres.start();
  const again = await inFullSwing(kenri, allRoles, "more");
  await again.load.stop();
});

test.concurrent("SIGTERM while PostgreSQL hangs: exits with 0 in time; also while it waits for it to start", async () => {
  const { kenri, postgres } = await withOwnPostgres();
  const hanging = await inFullSwing(kenri, "entitlement notification");
  const roles = await kenri.start(relays);
  await roles.logged('"msg":"notification.sent"');
  postgres.pause();
  expect(await Promise.all([hanging.process, roles].map(endsInTime))).toEqual([0, 0]);
  const migrating = kenri.launch("entitlement notification");
  await momentOf(1500);
  expect([0, 143]).toContain(await endsInTime(migrating));
  postgres.resume();
  await hanging.load.stop();
});

test.concurrent("SIGTERM while NATS and PostgreSQL both hang and an event is being published: exits with 0 in time", async () => {
  const { postgres, nats, stop } = await privateServers("postgres", "nats");
  closeAtEnd(stop);
  const kenri = await testKenri({}, { postgresUrl: postgres.adminUrl, natsUrl: nats.url });
  closeAtEnd(kenri.close);
  const process = await kenri.start("entitlement");
  await kenri.grant("first", "item");
  const inState = (status: string) => kenri.entitlementSql`select from outbox_events where status = ${status}`;
  await until("the first is published", 15_000, async () => (await inState("PUBLISHED")).length === 1);
  nats.pause();
  expect((await kenri.grant("second", "item")).status).toBe(200);
  expect(await inState("IN_FLIGHT")).toHaveLength(1);
  postgres.pause();
  expect(await endsInTime(process)).toBe(0);
  postgres.resume();
  nats.resume();
});
