import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { counted } from "../testing/counted.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { disorderInStream, messagesOf } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

/** Everything but the relays, which the test starts; one claim takes the whole backlog. */
async function withoutRelay(environment: Record<string, string> = {}) {
  const kenri = await testKenri({
    OUTBOX_FIRST_ATTEMPT: "relay",
    OUTBOX_LEASE: "4s",
    OUTBOX_LANES: "1",
    OUTBOX_PUBLISH_WITHIN: "1500ms",
    HEALTH_PORT: "0",
    ...environment,
  });
  closeAtEnd(kenri.close);
  const others = await kenri.start("entitlement:api notification:api notification:consumer notification:sender");
  return { kenri, others };
}

/** Grants and revokes that are in the outbox when the relay starts: 22 users, and one aggregate with 8 versions. */
async function fill(kenri: TestKenri) {
  const load = traffic(kenri, { clients: 4, hot: 1, pause: 0, requests: 30 });
  await load.done;
  return load.ledger;
}

const heldBy = async (kenri: TestKenri, worker: string) =>
  (await kenri.entitlementSql`select event_id from outbox_events where locked_by like ${`%/${worker}/%`}`).length;

async function allIsWell(kenri: TestKenri, ledger: Awaited<ReturnType<typeof fill>>) {
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
}

test.concurrent("a relay killed between claim and publish: the next one publishes its events, each once", async () => {
  const { kenri } = await withoutRelay();
  const ledger = await fill(kenri);
  const victim = await kenri.start("entitlement:relay", { FAULT_KILL_AT: "outbox.claimed" });
  await victim.killedItself();
  expect(await heldBy(kenri, String(victim.pid))).toBe(30);
  const next = await kenri.start("entitlement:relay");
  await allIsWell(kenri, ledger);
  expect(await counted(30, () => next.metric("kenri_outbox_reclaimed_total"))).toBe(30);
  expect(await messagesOf(kenri)).toHaveLength(30);
  expect(await kenri.entitlementSql`select event_id from outbox_events where attempt_count > 0`).toHaveLength(0);
});

test.concurrent("a relay killed between the PubAck and finalize: the events are published again, dropped as duplicates and delivered once", async () => {
  const { kenri } = await withoutRelay();
  const ledger = await fill(kenri);
  const victim = await kenri.start("entitlement:relay", { FAULT_KILL_AT: "outbox.published" });
  await victim.killedItself();
  expect(await heldBy(kenri, String(victim.pid))).toBe(30);
  expect(await messagesOf(kenri)).toHaveLength(30);
  await kenri.start("entitlement:relay");
  await allIsWell(kenri, ledger);
  // The same message id inside the duplicate window: acknowledged, not stored.
  expect(await kenri.entitlementSql`select event_id from outbox_events where stream_duplicate`).toHaveLength(30);
  expect(await messagesOf(kenri)).toHaveLength(30);
});

test.concurrent("outside the duplicate window the second message is stored, recognised as a duplicate by the consumer, and delivered once", async () => {
  const { kenri, others } = await withoutRelay({ STREAM_DUPLICATE_WINDOW: "100ms" });
  const ledger = await fill(kenri);
  const victim = await kenri.start("entitlement:relay", { FAULT_KILL_AT: "outbox.published" });
  await victim.killedItself();
  await kenri.start("entitlement:relay");
  await allIsWell(kenri, ledger);
  const known = await kenri.entitlementSql`select event_id from outbox_events where stream_duplicate`;
  const stored = await messagesOf(kenri);
  expect(stored.length).toBeGreaterThan(30);
  expect(stored.length).toBe(60 - known.length);
  await until(
    "the duplicates are counted",
    15_000,
    async () => (await others.metric("kenri_intake_events_total", 'outcome="duplicate"')) === stored.length - 30,
  );
});

test.concurrent("a relay that resumes after its lease publishes and settles nothing; another one did its work", async () => {
  const { kenri } = await withoutRelay();
  const ledger = await fill(kenri);
  const zombie = await kenri.start("entitlement:relay", { FAULT_STOP_AT: "outbox.claimed" });
  await zombie.hung();
  await kenri.start("entitlement:relay");
  await allIsWell(kenri, ledger);
  zombie.kill("SIGCONT");
  expect(await zombie.logged("outbox.fenced")).toContain('"what":"release"');
  expect(await counted(30, () => zombie.metric("kenri_outbox_fenced_total"))).toBe(30);
  expect(await zombie.metric("kenri_outbox_events_total")).toBe(0);
  expect(await messagesOf(kenri)).toHaveLength(30);
  await allIsWell(kenri, ledger);
});

test.concurrent("a relay that published and hung past its lease settles nothing", async () => {
  const { kenri } = await withoutRelay();
  const ledger = await fill(kenri);
  const zombie = await kenri.start("entitlement:relay", { FAULT_STOP_AT: "outbox.published" });
  await zombie.hung();
  const other = await kenri.start("entitlement:relay");
  await allIsWell(kenri, ledger);
  zombie.kill("SIGCONT");
  expect(await zombie.logged("outbox.fenced")).toContain('"what":"finalize"');
  expect(await counted(30, () => zombie.metric("kenri_outbox_fenced_total"))).toBe(30);
  expect(await counted(30, () => other.metric("kenri_outbox_events_total", 'outcome="published"'))).toBe(30);
  await allIsWell(kenri, ledger);
});
