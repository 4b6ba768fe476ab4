import { afterAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { drained, faultsInBooks } from "../testing/books.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { disorderInStream } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

const open: TestKenri[] = [];
afterAll(() => Promise.all(open.map(kenri => kenri.close())));

/** Everything but an API; a claim for a first attempt holds for a second. */
async function withoutApi(environment: Record<string, string> = {}) {
  const kenri = await testKenri({ OUTBOX_PUBLISH_WITHIN: "500ms", HEALTH_PORT: "0", ...environment });
  open.push(kenri);
  const relay = await kenri.start("entitlement:relay");
  await kenri.start("notification:consumer notification:sender");
  return { kenri, relay };
}

const heldBy = (kenri: TestKenri, pid: number) => kenri.entitlementSql`select from outbox_events where locked_by like ${`%/${pid}/%`}`;

for (const point of ["outbox.claimed", "outbox.published"])
  test.concurrent(`an API killed in its first attempt at ${point}: the relay does the rest, each is told once and in order`, async () => {
    const { kenri, relay } = await withoutApi();
    const victim = await kenri.start("entitlement:api", { FAULT_KILL_AT: point });
    const load = traffic(kenri, { clients: 8, hot: 2, pause: 0, requests: 120 });
    await victim.killedItself();
    const held = await heldBy(kenri, victim.pid);
    expect(held.length).toBeGreaterThan(0);
    await kenri.start("entitlement:api");
    await load.done;
    await drained(kenri);
    expect(await faultsInBooks(kenri, load.ledger)).toEqual([]);
    expect(await disorderInStream(kenri)).toEqual([]);
    expect(await relay.metric("kenri_outbox_reclaimed_total")).toBeGreaterThanOrEqual(held.length);
    expect(await kenri.entitlementSql`select from outbox_events where attempt_count > 0`).toHaveLength(0);
  });

test.concurrent("an API that wakes after the lease of its first attempt changes nothing, and fenced counts it", async () => {
  const { kenri, relay } = await withoutApi();
  const zombie = await kenri.start("entitlement:api", { FAULT_STOP_AT: "outbox.published" });
  const load = traffic(kenri, { clients: 4, hot: 1, pause: 0, requests: 60 });
  await zombie.hung();
  await until("its claim is taken back", 20_000, async () => (await relay.metric("kenri_outbox_reclaimed_total")) > 0);
  zombie.kill("SIGCONT");
  await zombie.logged("outbox.fenced");
  await load.done;
  await drained(kenri);
  expect(await faultsInBooks(kenri, load.ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
});

test.concurrent("an API in a process of its own is as quick as one beside its relay: nobody has to look first", async () => {
  const { kenri } = await withoutApi({ OUTBOX_POLL: "1m", NOTIFICATION_POLL: "1m" });
  await kenri.start("entitlement:api");
  await until(
    "the API is connected",
    10_000,
    async () => ((await (await kenri.call("entitlement", "/readyz")).json()) as { status: string }).status === "ready",
  );
  expect((await kenri.grant("ann", "item")).status).toBe(200);
  await until(
    "it is sent",
    10_000,
    async () => (await kenri.notificationSql`select from notifications where user_id = 'ann' and status = 'SENT'`).length === 1,
  );
});
