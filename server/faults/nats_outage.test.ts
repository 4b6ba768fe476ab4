import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { counted } from "../testing/counted.ts";
import { testServer } from "../testing/databases.ts";
import { allRoles, type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import { linesSince } from "../testing/log_lines.ts";
import { cutStream, privateServers } from "../testing/servers.ts";
import { disorderInStream, messagesOf, streamOf } from "../testing/stream.ts";
import { countOf, traffic } from "../testing/traffic.ts";

async function withOwnNats(environment: Record<string, string> = {}) {
  const servers = await privateServers("nats");
  const kenri = await testKenri(
    { OUTBOX_LEASE: "2s", OUTBOX_OVERDUE: "2s", CONSUMER_ACK_WAIT: "2s", ...environment },
    { postgresUrl: testServer(), natsUrl: servers.nats.url },
  );
  closeAtEnd(async () => {
    await kenri.close();
    await servers.stop();
  });
  return { kenri, nats: servers.nats, servers };
}

const countEvents = async ({ entitlementSql }: TestKenri, status: string) =>
  (await entitlementSql`select from outbox_events where status = ${status}`).length;
const charged = async ({ entitlementSql }: TestKenri) =>
  (await entitlementSql`select from outbox_events where attempt_count > 0 or last_error is not null`).length;

/** A worker reports its health once a second. */
const saysThatItIsDegraded = (kenri: TestKenri) =>
  until("it says that it is degraded", 10_000, async () => (await kenri.readiness("entitlement")).status === "degraded");

test.concurrent("NATS away for several leases: every grant answers 200, no attempt is charged, the log has a handful of lines, everything is delivered when it is back", async () => {
  const { kenri, nats } = await withOwnNats();
  const everything = await kenri.start("entitlement notification");
  const load = traffic(kenri, { pause: 60 });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 20,
  );
  // The API publishes and the consumer delivers: so far the relay may not have been needed, nor connected.
  await until("the relay is connected", 30_000, () => rolesThatLogged(everything, 0, "broker.connected").includes("entitlement:relay"));
  const logged = everything.lines.length;
  await nats.halt();
  const before = countOf(load.ledger.granted);
  const since = performance.now();
  await until(
    "several leases have passed under grants",
    60_000,
    () => performance.now() - since > 6000 && countOf(load.ledger.granted) > before + 100,
  );
  expect(await countEvents(kenri, "PENDING")).toBeGreaterThan(50);
  expect(await charged(kenri)).toBe(0);
  await saysThatItIsDegraded(kenri);
  await nats.start();
  await until("more is granted after it is back", 15_000, () => countOf(load.ledger.granted) > before + 150);
  const ledger = await load.stop();
  expect([...ledger.answers.keys()]).toEqual([200]);
  await drained(kenri);
  expect(await charged(kenri)).toBe(0);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  const users = rolesThatLogged(everything, logged, "broker.disconnected");
  expect(users).toContain("entitlement:relay");
  await until("every role says that it is over", 15_000, () =>
    Bun.deepEquals(rolesThatLogged(everything, logged, "broker.connected"), users),
  );
  const lines = linesSince(everything, logged);
  expect(lines[0]).toMatchObject({
    level: "warn",
    msg: "broker.disconnected",
    says: expect.stringContaining(`NATS (${new URL(nats.url).host})`),
  });
  expect(lines.findLast(({ msg }) => msg === "broker.connected")).toMatchObject({ level: "info", failures: expect.any(Number) });
  // For each role: away, why, two sums, back, and the odd loop that was under way.
  expect(lines.length).toBeLessThan(8 * users.length);
});

const rolesThatLogged = (everything: TestProcess, from: number, kind: string) =>
  [...new Set(linesSince(everything, from).flatMap(({ msg, role }) => (msg === kind ? [role] : [])))].sort();

test.concurrent("everything starts while NATS is away: grants answer 200 and are delivered when NATS starts", async () => {
  const { kenri, nats } = await withOwnNats();
  await nats.halt();
  await kenri.start(allRoles);
  const load = traffic(kenri, { pause: 0, requests: 50 });
  await load.done;
  expect([...load.ledger.answers.keys()]).toEqual([200]);
  expect((await kenri.call("entitlement", "/readyz")).status).toBe(200);
  await nats.start();
  await drained(kenri);
  expect(await charged(kenri)).toBe(0);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
});

/** Some events are delivered and confirmed. Then the consumer is stopped, more events are on the stream, and NATS is killed under load. */
async function deadWithUnreadMessages(environment?: Record<string, string>) {
  const { kenri, nats, servers } = await withOwnNats({ HEALTH_PORT: "0", ...environment });
  const relay = await kenri.start("entitlement:api entitlement:relay notification:sender");
  const consumer = await kenri.start("notification:consumer");
  const load = traffic(kenri, { pause: 60 });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 50,
  );
  await consumer.stop();
  const read = (await messagesOf(kenri)).length;
  await until("there are unread messages", 20_000, async () => (await messagesOf(kenri)).length > read + 50);
  await nats.halt();
  return { kenri, nats, servers, relay, load };
}

async function everythingIsTold({ kenri, relay, load }: Awaited<ReturnType<typeof deadWithUnreadMessages>>) {
  const before = countOf(load.ledger.granted);
  await kenri.start("notification:consumer");
  await until("more is granted after it is back", 15_000, () => countOf(load.ledger.granted) > before + 50);
  const ledger = await load.stop();
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect([...ledger.answers.keys()]).toEqual([200]);
  expect(await charged(kenri)).toBe(0);
  await counted(1, () => relay.metric("kenri_outbox_stream_losses_total"));
  await counted(1, () => relay.metric("kenri_outbox_lost_resent_total"));
}

test.concurrent("the store of NATS is wiped while it is down: every change answered 200 is in its user's inbox, once", async () => {
  const all = await deadWithUnreadMessages();
  all.nats.wipe();
  await all.nats.start();
  await everythingIsTold(all);
});

test.concurrent("the store of NATS is truncated: NATS starts without an error, and every change answered 200 is in its user's inbox, once", async () => {
  const all = await deadWithUnreadMessages();
  // So much is cut that the consumer has read beyond the end.
  cutStream(all.servers, streamOf(all.kenri), 0.1);
  await all.nats.start();
  await everythingIsTold(all);
});

test.concurrent("NATS hangs: the breaker opens, few attempts are charged, and it recovers", async () => {
  const { kenri, nats } = await withOwnNats({ OUTBOX_PUBLISH_WITHIN: "300ms" });
  const api = await kenri.start("entitlement notification");
  const load = traffic(kenri, { pause: 60 });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 20,
  );
  nats.pause();
  await api.logged("breaker.opened");
  const before = countOf(load.ledger.granted);
  await until("grants go on", 20_000, () => countOf(load.ledger.granted) > before + 200);
  await saysThatItIsDegraded(kenri);
  nats.resume();
  await api.logged("breaker.closed");
  const ledger = await load.stop();
  await drained(kenri);
  expect([...ledger.answers.keys()]).toEqual([200]);
  expect(await charged(kenri)).toBeLessThan(10);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
});
