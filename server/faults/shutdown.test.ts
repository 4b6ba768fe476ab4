import { afterAll, expect, test } from "bun:test";
import { becomes, until } from "../../stack/wait.ts";
import { drained, faultsInBooks } from "../testing/books.ts";
import { testServer } from "../testing/databases.ts";
import { allRoles, type TestKenri, type TestProcess, testKenri, testNats } from "../testing/kenri.ts";
import { privateServers } from "../testing/servers.ts";
import { traffic } from "../testing/traffic.ts";

const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map(close => close())));

async function started(environment: Record<string, string> = {}, servers?: { postgresUrl: string; natsUrl: string }) {
  const kenri = await testKenri({ OUTBOX_LEASE: "5s", NOTIFICATION_LEASE: "5s", ...environment }, servers);
  closing.push(() => kenri.close());
  return kenri;
}

/** A process in full swing. */
async function inFullSwing(kenri: TestKenri, what: string, prefix = "user") {
  const process = await kenri.start(what);
  const load = traffic(kenri, { pause: 20, prefix });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT' and user_id like ${`${prefix}%`}`).length > 20,
  );
  return { process, load };
}

/** SIGTERM, and its exit code, if it comes within the promised time. */
async function endsInTime(process: TestProcess): Promise<number> {
  const since = performance.now();
  const code = await process.stop();
  expect(performance.now() - since).toBeLessThan(10_500);
  if (code === 1) console.log(process.lines.slice(-15).join("\n"));
  return code;
}

/** Some time after a launch. A signal that comes before the program has begun ends it with 143. */
const momentOf = (milliseconds: number) => becomes(milliseconds, () => false);

const held = async (kenri: TestKenri) => ({
  inFlight: (await kenri.entitlementSql`select from outbox_events where status = 'IN_FLIGHT'`).length,
  processing: (await kenri.notificationSql`select from notifications where status = 'PROCESSING'`).length,
});

/** A client that asks as long as it is sent here, and how each of its requests ended. */
async function ask(kenri: TestKenri, client: number, isSentHere: () => boolean): Promise<string[]> {
  const ends: string[] = [];
  for (let turn = 0; isSentHere(); turn++) {
    ends.push(
      await kenri.grant(`asker-${client}-${turn}`, "item").then(
        async response => {
          await response.text();
          return String(response.status);
        },
        error => String((error as { code?: unknown }).code),
      ),
    );
  }
  return ends;
}

test.concurrent("SIGTERM under load: readiness is 503, requests in flight finish, it exits with 0 in time, and no claim is left behind", async () => {
  const kenri = await started({ SHUTDOWN_NOTICE: "2s" }); // long enough to be seen on a busy machine
  const process = await kenri.start("entitlement notification");
  const url = kenri.urlOf("entitlement");
  let ready = true;
  const clients = Promise.all(Array.from({ length: 16 }, (_, client) => ask(kenri, client, () => ready)));
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 100,
  );
  const ending = endsInTime(process);
  // Like a load balancer: nobody is sent here any more once it says so; until then everybody is served.
  await until("readiness is 503", 2000, async () => (await fetch(`${url}/readyz`)).status === 503);
  ready = false;
  expect(await ending).toBe(0);
  const ends = (await clients).flat();
  expect(ends.filter(end => end !== "200")).toEqual([]);
  expect(await held(kenri)).toEqual({ inFlight: 0, processing: 0 });
  // Every answer of 200 is there, and a new process delivers what was left.
  const answered = ends.length;
  expect(await kenri.entitlementSql`select from outbox_events`).toHaveLength(answered);
  await kenri.start(allRoles);
  await drained(kenri);
  expect(await kenri.notificationSql`select from notifications where status = 'SENT'`).toHaveLength(answered);
});

test.concurrent("roles as processes of their own exit with 0 on SIGTERM under load and leave no claim behind", async () => {
  const kenri = await started({ HEALTH_PORT: "0" });
  await kenri.start("entitlement:api", { OUTBOX_FIRST_ATTEMPT: "relay" }); // it goes on, and would hold what it publishes itself
  const roles = await Promise.all(
    ["entitlement:relay", "notification:consumer", "notification:sender", "notification:janitor"].map(role => kenri.start(role)),
  );
  const load = traffic(kenri, { pause: 10 });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 100,
  );
  expect(await Promise.all(roles.map(endsInTime))).toEqual([0, 0, 0, 0]);
  expect(await held(kenri)).toEqual({ inFlight: 0, processing: 0 });
  const ledger = await load.stop();
  await kenri.start("entitlement:relay notification:consumer notification:sender");
  await drained(kenri);
  expect(await faultsInBooks(kenri, ledger)).toEqual([]);
});

test.concurrent("a second signal ends it at once", async () => {
  const kenri = await started({ SHUTDOWN_NOTICE: "8s" });
  const process = await kenri.start("entitlement notification");
  process.kill("SIGTERM");
  await until("it is stopping", 15_000, async () => (await kenri.call("entitlement", "/readyz")).status === 503);
  const since = performance.now();
  process.kill("SIGTERM");
  expect(await process.exited).toBe(1);
  expect(performance.now() - since).toBeLessThan(2000);
});

test.concurrent("SIGTERM while NATS is away, and while it hangs: exits with 0 in time", async () => {
  const servers = await privateServers("nats");
  closing.push(() => servers.stop());
  const kenri = await started({}, { postgresUrl: testServer(), natsUrl: servers.nats.url });
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

test.concurrent("SIGTERM while PostgreSQL is away, and while it hangs: exits with 0 in time; also while it waits for it to start", async () => {
  const { postgres, stop } = await privateServers("postgres");
  closing.push(stop);
  const kenri = await started({}, { postgresUrl: postgres.adminUrl, natsUrl: testNats() });
  const away = await inFullSwing(kenri, allRoles);
  await postgres.halt();
  await until("requests are refused", 10_000, () => (away.load.ledger.answers.get(503) ?? 0) > 0);
  expect(await endsInTime(away.process)).toBe(0);
  const starting = await kenri.start("entitlement:relay notification:consumer notification:sender");
  await starting.logged("store.waiting");
  expect(await endsInTime(starting)).toBe(0);
  await away.load.stop();
  await postgres.start();
  const hanging = await inFullSwing(kenri, "entitlement notification", "more");
  const roles = await kenri.start("entitlement:relay notification:consumer notification:sender");
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
  closing.push(stop);
  const kenri = await started({ OUTBOX_LEASE: "30s" }, { postgresUrl: postgres.adminUrl, natsUrl: nats.url });
  const process = await kenri.start("entitlement");
  await kenri.grant("first", "item");
  await until(
    "the API publishes",
    15_000,
    async () => (await kenri.entitlementSql`select from outbox_events where status = 'PUBLISHED'`).length === 1,
  );
  nats.pause();
  expect((await kenri.grant("second", "item")).status).toBe(200);
  expect((await held(kenri)).inFlight).toBe(1);
  postgres.pause();
  expect(await endsInTime(process)).toBe(0);
  postgres.resume();
  nats.resume();
});

test.concurrent("SIGTERM at any moment of the start: exits in time", async () => {
  const kenri = await started();
  for (const moment of [0, 200, 400, 600, 800]) {
    const process = kenri.launch("entitlement:relay notification:consumer notification:sender");
    await momentOf(moment);
    expect([0, 143]).toContain(await endsInTime(process));
  }
});
