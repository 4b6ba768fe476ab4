import { expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { testBrowser } from "../testing/browser.ts";
import { closeAtEnd, closing } from "../testing/closing.ts";
import { delivered, drained, findInconsistencies } from "../testing/consistency.ts";
import { testServer } from "../testing/databases.ts";
import { gatewayPlace, startGateway } from "../testing/gateway.ts";
import { allRoles, type TestKenri, testKenri, testNats } from "../testing/kenri.ts";
import { privateServers } from "../testing/servers.ts";
import { disorderInStream } from "../testing/stream.ts";
import { countOf, traffic } from "../testing/traffic.ts";

const hangs = Number(process.env.HANG_SECONDS ?? 40) * 1000;
const backWithin = 15_000;

/** All cases start together, so that the file takes about as long as one case. */
function begin(work: () => Promise<void>): () => Promise<void> {
  const begun = closing(work)();
  begun.catch(() => {});
  return () => begun;
}

const passed = (since: number, time: number) => until(`${time} ms pass`, time + 10_000, () => performance.now() - since > time);
const flows = (kenri: TestKenri) =>
  until(
    "the pipeline runs",
    90_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 20,
  );

async function withOwnNats(environment: Record<string, string>) {
  const servers = await privateServers("nats");
  // A pull that NATS reads only when it goes on is answered to the lost connection. These messages come again after the ack wait.
  const kenri = await testKenri({ CONSUMER_ACK_WAIT: "5s", ...environment }, { postgresUrl: testServer(), natsUrl: servers.nats.url });
  closeAtEnd(async () => {
    servers.nats.resume();
    await kenri.close();
    await servers.stop();
  });
  const process = await kenri.start(allRoles);
  return { kenri, nats: servers.nats, process };
}
type OwnNats = Awaited<ReturnType<typeof withOwnNats>>;

/** Checks that everything is delivered in time and nothing is FAILED, lost, duplicated or out of order. */
async function isBack({ kenri }: { kenri: TestKenri }, load: ReturnType<typeof traffic>): Promise<void> {
  const since = performance.now();
  const ledger = await load.stop();
  await delivered(kenri, backWithin - (performance.now() - since));
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
}

const loses = ({ process }: OwnNats) => process.logged("broker.disconnected", hangs);

const idle = begin(async () => {
  const all = await withOwnNats({});
  const first = traffic(all.kenri, { requests: 30, prefix: "before" });
  await first.done;
  await drained(all.kenri);
  all.nats.pause();
  const since = performance.now();
  await loses(all);
  const load = traffic(all.kenri, { pause: 100, prefix: "meanwhile" });
  await passed(since, hangs);
  expect(countOf(load.ledger.granted)).toBeGreaterThan(20);
  all.nats.resume();
  for (const map of ["asked", "granted"] as const) for (const [key, value] of first.ledger[map]) load.ledger[map].set(key, value as never);
  await isBack(all, load);
  expect([...load.ledger.answers.keys()]).toEqual([200]);
});

const publishing = begin(async () => {
  const all = await withOwnNats({ OUTBOX_PUBLISH_WITHIN: "30s", OUTBOX_LEASE: "60s" });
  const load = traffic(all.kenri, { pause: 100 });
  await flows(all.kenri);
  all.nats.pause();
  const since = performance.now();
  await loses(all);
  expect(all.process.lines.filter(line => line.includes("breaker.opened"))).toEqual([]);
  await passed(since, hangs);
  all.nats.resume();
  await isBack(all, load);
  expect([...load.ledger.answers.keys()]).toEqual([200]);
});

const probing = begin(async () => {
  const all = await withOwnNats({ OUTBOX_PUBLISH_WITHIN: "500ms" });
  const load = traffic(all.kenri, { pause: 100 });
  await flows(all.kenri);
  all.nats.pause();
  const since = performance.now();
  await all.process.logged("breaker.opened");
  expect(all.process.lines.filter(line => line.includes("broker.disconnected"))).toEqual([]);
  await loses(all);
  await passed(since, hangs);
  all.nats.resume();
  await isBack(all, load);
  expect([...load.ledger.answers.keys()]).toEqual([200]);
});

const postgres = begin(async () => {
  const servers = await privateServers("postgres");
  const kenri = await testKenri({}, { postgresUrl: servers.postgres.adminUrl, natsUrl: testNats() });
  closeAtEnd(async () => {
    servers.postgres.resume();
    await kenri.close();
    await servers.stop();
  });
  const process = await kenri.start("entitlement notification");
  const load = traffic(kenri, { pause: 100 });
  await flows(kenri);
  servers.postgres.pause();
  await passed(performance.now(), hangs);
  servers.postgres.resume();
  const before = countOf(load.ledger.granted);
  await until("grants are answered again", backWithin, () => countOf(load.ledger.granted) > before + 20);
  await isBack({ kenri }, load);
  expect([...load.ledger.answers.keys()].sort()).toEqual([200, 503]);
  expect(process.lines.filter(line => /worker.stuck|ended_unasked|start_failed|worker.error/.test(line))).toEqual([]);
});

const redis = begin(async () => {
  const servers = await privateServers("redis");
  const kenri = await testKenri();
  closeAtEnd(async () => {
    servers.redis.resume();
    await kenri.close();
    await servers.stop();
  });
  const place = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", place.forServices);
  const gateway = await startGateway(kenri, place, { REDIS_URL: servers.redis.url });
  const alice = testBrowser();
  await until("alice is signed in", 30_000, async () => (await alice.signIn(gateway.url, "alice")).response.status === 200);
  const ask = async () => (await alice.fetch(`${gateway.url}/v1/me`)).status;
  expect(await ask()).toBe(200);
  servers.redis.pause();
  const since = performance.now();
  await until("a request with a session gets 503", 15_000, async () => (await ask()) === 503);
  await passed(since, hangs);
  expect(await ask()).toBe(503);
  servers.redis.resume();
  await until("the session holds", backWithin, async () => (await ask()) === 200);
  const limited = await alice.fetch(`${gateway.url}/v1/me`);
  expect(limited.headers.get("ratelimit-policy")).toContain('"session"');
  expect((await testBrowser().signIn(gateway.url, "bob")).response.status).toBe(200);
});

test.concurrent.each([
  ["while nothing is published", idle],
  ["while events are published", publishing],
  ["while the breaker probes", probing],
])("NATS hangs and the connection is lost %s: everything is delivered within 15 s of its return, nothing is FAILED", (_, outcome) =>
  outcome(),
);

test.concurrent("PostgreSQL hangs: grants continue and everything is delivered within 15 s of its return, nothing is FAILED", () =>
  postgres());

test.concurrent("Redis hangs: sessions, limits and sign-in work within 15 s of its return", () => redis());
