import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { counted } from "../testing/counted.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { messagesOf, streamOf, withNats } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

const durable = "notification-entitlement-consumer";
const others = "entitlement:api entitlement:relay notification:api notification:sender";

async function kenriWith(roles: string, environment: Record<string, string> = {}) {
  const kenri = await testKenri({ OUTBOX_OVERDUE: "1s", CONSUMER_ACK_WAIT: "2s", HEALTH_PORT: "0", ...environment });
  closeAtEnd(kenri.close);
  return { kenri, process: await kenri.start(roles) };
}

async function published(kenri: TestKenri, clients = 4) {
  const load = traffic(kenri, { clients, hot: 1, pause: 0, requests: 20 });
  await load.done;
  await until(
    "all is published",
    20_000,
    async () => (await kenri.entitlementSql`select from outbox_events where status <> 'PUBLISHED'`).length === 0,
  );
  return load.ledger;
}

const resent = ({ entitlementSql }: TestKenri) =>
  entitlementSql`select event_id, aggregate_version, publish_generation from outbox_events where publish_generation > 0`;

test.concurrent("events that were deleted from the stream are found missing, published again under a new id and delivered once; late ones are stale", async () => {
  const { kenri, process } = await kenriWith(others);
  const ledger = await published(kenri, 1);
  // The first versions of an aggregate with many versions, so that they arrive after later ones.
  const lost = (
    await kenri.entitlementSql`select event_id, stream_seq from outbox_events where aggregate_key = 'user-hot-0:item' and aggregate_version <= 2`
  ).map(row => row);
  await withNats(kenri, async (_, manager) => {
    for (const { stream_seq } of lost) await manager.streams.deleteMessage(streamOf(kenri), stream_seq);
  });
  await kenri.start("notification:consumer");
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  const again = await resent(kenri);
  expect(again.map(row => row.event_id).sort()).toEqual(lost.map(row => row.event_id).sort());
  expect(again.map(row => row.publish_generation)).toEqual([1, 1]);
  expect(await counted(2, () => process.metric("kenri_outbox_missing_resent_total"))).toBe(2);
  const ids = (await messagesOf(kenri)).map(message => message.messageId);
  for (const { event_id } of lost) expect(ids).toContain(`${event_id}:r1`);
  const stale = await kenri.notificationSql`select event_id, status from notifications where stale`;
  expect(stale.map(row => row.event_id).sort()).toEqual(lost.map(row => row.event_id).sort());
  expect(stale.map(row => row.status)).toEqual(["SENT", "SENT"]);
});

test.concurrent("a purged stream loses nothing", async () => {
  const { kenri } = await kenriWith(others);
  const ledger = await published(kenri);
  await withNats(kenri, async (_, manager) => void (await manager.streams.purge(streamOf(kenri))));
  await kenri.start("notification:consumer");
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await resent(kenri)).toHaveLength(20);
});

test.concurrent("nothing is published again while notification only lags", async () => {
  const { kenri, process } = await kenriWith(`${others} notification:consumer`, { DATABASE_DEADLINE: "1s" });
  await kenri.grant("first", "item");
  await drained(kenri);
  // Reads work, so notification answers which events it has; but it cannot consume any.
  const lock = await kenri.notificationSql.reserve();
  await lock`begin`;
  await lock`lock table processed_events in share row exclusive mode`;
  const ledger = await published(kenri);
  ledger.asked.set("first:item", 1);
  const asked = await process.metric("kenri_loop_runs_total", 'loop="outbox.reconcile",outcome="ok"');
  const isOverdue = async () => {
    const [row] =
      await kenri.entitlementSql`select min(published_at) < now() - interval '3 seconds' as overdue from outbox_events where confirmed_at is null`;
    return row!.overdue as boolean;
  };
  await until("they are long overdue", 15_000, isOverdue);
  expect(await process.metric("kenri_loop_runs_total", 'loop="outbox.reconcile",outcome="ok"')).toBeGreaterThan(asked + 3);
  expect(await resent(kenri)).toHaveLength(0);
  await lock`commit`;
  lock.release();
  await drained(kenri);
  expect(await resent(kenri)).toHaveLength(0);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
});

test.concurrent("a deleted durable consumer is created again and reads from the start; duplicates are dropped", async () => {
  const { kenri, process } = await kenriWith(`${others} notification:consumer`);
  const ledger = await published(kenri);
  await drained(kenri);
  await withNats(kenri, async (_, manager) => void (await manager.consumers.delete(streamOf(kenri), durable)));
  const more = traffic(kenri, { clients: 2, hot: 0, pause: 0, requests: 10, prefix: "more" });
  await more.done;
  for (const book of ["asked", "granted"] as const)
    for (const [aggregate, value] of more.ledger[book]) ledger[book].set(aggregate, value as never);
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  await counted(20, () => process.metric("kenri_intake_events_total", 'outcome="duplicate"'));
});

test.concurrent("a stream that is deleted while all are connected is created again, and nothing is lost", async () => {
  const { kenri } = await kenriWith(others);
  const ledger = await published(kenri);
  await withNats(kenri, async (_, manager) => void (await manager.streams.delete(streamOf(kenri))));
  await kenri.start("notification:consumer");
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await resent(kenri)).toHaveLength(20);
});
