import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { counted } from "../testing/counted.ts";
import { testServer } from "../testing/databases.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { privateServers } from "../testing/servers.ts";
import { disorderInStream, messagesOf, streamOf, withNats } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

const isReady = (kenri: TestKenri) =>
  until("the API is connected", 20_000, async () => (await kenri.readiness("entitlement")).status === "ready");
const isPublished = (kenri: TestKenri) =>
  until(
    "all is published",
    10_000,
    async () => (await kenri.entitlementSql`select from outbox_events where status <> 'PUBLISHED'`).length === 0,
  );

/** Everything but an API. The claim for a first attempt has a lease of one second. */
async function withoutApi(environment: Record<string, string> = {}) {
  const kenri = await testKenri({ OUTBOX_PUBLISH_WITHIN: "500ms", HEALTH_PORT: "0", ...environment });
  closeAtEnd(kenri.close);
  const relay = await kenri.start("entitlement:relay");
  await kenri.start("notification:consumer notification:sender");
  return { kenri, relay };
}

const heldBy = (kenri: TestKenri, pid: number) => kenri.entitlementSql`select from outbox_events where locked_by like ${`%/${pid}/%`}`;

for (const point of ["outbox.claimed", "outbox.published"])
  test.concurrent(`an API killed in its first attempt at ${point}: the relay does the rest, each is sent once and in order`, async () => {
    const { kenri, relay } = await withoutApi();
    const victim = await kenri.start("entitlement:api", { FAULT_KILL_AT: point });
    const load = traffic(kenri, { clients: 8, hot: 2, pause: 0, requests: 120 });
    await victim.killedItself();
    const held = await heldBy(kenri, victim.pid);
    expect(held.length).toBeGreaterThan(0);
    await kenri.start("entitlement:api");
    await load.done;
    await drained(kenri);
    expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
    expect(await disorderInStream(kenri)).toEqual([]);
    await counted(held.length, () => relay.metric("kenri_outbox_reclaimed_total"));
    expect(await kenri.entitlementSql`select from outbox_events where attempt_count > 0`).toHaveLength(0);
  });

test.concurrent("an API that resumes after the lease of its first attempt changes nothing, and is counted as fenced", async () => {
  const { kenri, relay } = await withoutApi();
  const zombie = await kenri.start("entitlement:api", { FAULT_STOP_AT: "outbox.published" });
  const load = traffic(kenri, { clients: 4, hot: 1, pause: 0, requests: 60 });
  await zombie.hung();
  await until("its claim is taken back", 20_000, async () => (await relay.metric("kenri_outbox_reclaimed_total")) > 0);
  zombie.kill("SIGCONT");
  await zombie.logged("outbox.fenced");
  await load.done;
  await drained(kenri);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
});

test.concurrent("an API in a process of its own is as fast as one beside its relay: no poll is needed", async () => {
  const { kenri } = await withoutApi({ OUTBOX_POLL: "1m", NOTIFICATION_POLL: "1m" });
  await kenri.start("entitlement:api");
  await isReady(kenri);
  expect((await kenri.grant("ann", "item")).status).toBe(200);
  await until(
    "it is sent",
    10_000,
    async () => (await kenri.notificationSql`select from notifications where user_id = 'ann' and status = 'SENT'`).length === 1,
  );
});

for (const [finder, reconcile] of [
  ["relay", "200ms"],
  ["API", "1h"],
] as const)
  test.concurrent(`a deleted stream, noticed by the ${finder}: lost events are published before new ones`, async () => {
    const kenri = await testKenri({ OUTBOX_POLL: "2s", OUTBOX_RECONCILE: reconcile, HEALTH_PORT: "0" });
    closeAtEnd(kenri.close);
    await kenri.start("entitlement");
    await isReady(kenri);
    await kenri.grant("ann", "item");
    await isPublished(kenri);
    const incarnation = async () => (await kenri.entitlementSql`select incarnation from outbox_stream`)[0]!.incarnation;
    const before = await incarnation();
    await withNats(kenri, (_, manager) => manager.streams.delete(streamOf(kenri)));
    if (finder === "API") await kenri.grant("bob", "item");
    await until("the loss is known", 10_000, async () => (await incarnation()) !== before);
    await kenri.revoke("ann", "item");
    await until("both are in the stream", 20_000, async () => (await messagesOf(kenri)).length >= (finder === "API" ? 3 : 2));
    expect(await disorderInStream(kenri)).toEqual([]);
  });

test.concurrent("a change that waits while the stream is wiped does not overtake lost events; an idle API notices when NATS is healthy again", async () => {
  const own = await privateServers("nats");
  closeAtEnd(own.stop);
  const kenri = await testKenri(
    { DATABASE_DEADLINE: "40s", OUTBOX_PUBLISH_WITHIN: "150ms", HEALTH_PORT: "0" },
    { postgresUrl: testServer(), natsUrl: own.nats.url },
  );
  closeAtEnd(kenri.close);
  await kenri.start("entitlement");
  await isReady(kenri);
  await kenri.grant("ann", "item");
  await isPublished(kenri);

  // A change that waits while the stream is lost and checked does not overtake the lost events.
  const { second } = await kenri.entitlementSql.begin(async lock => {
    await lock`select from entitlements where user_id = 'ann' for update`;
    const second = kenri.revoke("ann", "item");
    await until(
      "it waits",
      5000,
      async () =>
        (await kenri.entitlementSql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length >
        0,
    );
    await own.nats.halt();
    own.nats.wipe();
    await own.nats.start();
    await until(
      "the lost events are requeued",
      20_000,
      async () => (await kenri.entitlementSql`select from outbox_events where publish_generation > 0`).length === 1,
    );
    return { second };
  });
  expect((await second).status).toBe(200);
  await until("both are in the stream", 20_000, async () => (await messagesOf(kenri)).length >= 2);
  expect(await disorderInStream(kenri)).toEqual([]);

  // An API without requests notices by itself that NATS is healthy again.
  const api = await kenri.start("entitlement:api");
  let user = 0;
  const granted = async () => (await kenri.grant(`u${user++}`, "item")).status === 200;
  await until(
    "it publishes",
    20_000,
    async () => (await granted()) && (await api.metric("kenri_outbox_events_total", 'outcome="published"')) > 0,
    200,
  );
  const given = async () => (await kenri.readiness("entitlement")).degraded?.publish !== undefined;
  own.nats.pause();
  await until("publishing is given up", 30_000, async () => (await granted()) && (await given()), 200);
  own.nats.resume();
  await until("it publishes again", 20_000, async () => !(await given()));
});
