import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import type { TestProcess } from "../testing/kenri.ts";
import { allSettled, disagreements, placeOrders } from "../testing/order_outcomes.ts";
import { type OrderScene, orderScene } from "../testing/order_scene.ts";
import { privateServers } from "../testing/servers.ts";

const count = Number(process.env.CHAOS_ORDERS ?? 2000);
// A broker that stands still for longer than a deadline and a backoff could get a request that was given up after the question about it.
const settings = {
  ORDERS_LEASE: "5s",
  ORDERS_SEND_WITHIN: "2s",
  ORDERS_ASK_WITHIN: "2s",
  ORDERS_BACKOFF: "250ms",
  ORDERS_BACKOFF_CAP: "1s",
  LOG_LEVEL: "warn",
};
// A broker that answers 429 pauses the whole process, so that one is rare.
const everyFault = {
  drop_before: 0.05,
  drop_after: 0.05,
  fail_503: 0.05,
  fail_500: 0.03,
  fail_500_after: 0.03,
  reject: 0.03,
  too_many: 0.001,
  retry_after_s: 1,
  delay_ms: [0, 20] as [number, number],
  asks_too: true,
};

const settledOf = async ({ sql }: OrderScene): Promise<number> =>
  (await sql`select count(*)::int as count from outbox_orders where settled_at is not null`.catch(() => []))[0]?.count ?? 0;

/** Waits until some more orders are settled, so that every kill comes under load. */
const progressed = async (it: OrderScene, more: number) => {
  const before = await settledOf(it);
  await until(`${more} more orders are settled`, 60_000, async () => (await settledOf(it)) >= Math.min(before + more, count), 50);
};

async function agrees(it: OrderScene): Promise<void> {
  await allSettled(it.sql, 90_000);
  expect(await disagreements(it.sql, it.broker)).toEqual([]);
  const summary = await it.broker.summary();
  const succeeded = (await it.sql`select from idempo_ledger where status = 'succeeded'`).length;
  expect(summary).toMatchObject({ executions: succeeded, executed_twice: 0, received: 0 });
  expect(succeeded).toBeGreaterThan(count * 0.9);
  expect(await it.sql`select from outbox_orders where status = 'sending' or outcome_unknown`).toHaveLength(0);
}

async function kill(victim: TestProcess): Promise<void> {
  victim.kill("SIGKILL");
  await victim.exited;
}

test.concurrent("orders with every fault of the broker, senders killed at random: book and ledger agree, order by order", async () => {
  const it = await orderScene(settings);
  closeAtEnd(it.close);
  await it.broker.setFaults(everyFault);
  await placeOrders(it.sql, count);
  for (let round = 0; round < 4; round++) {
    const sender = await it.kenri.start("orders:sender");
    await progressed(it, count / 10 + Math.random() * (count / 10));
    await kill(sender);
  }
  await it.kenri.start("orders:sender");
  await agrees(it);
  expect((await it.broker.summary()).most_at_once).toBeLessThanOrEqual(8); // a request of a killed sender may still be under way
});

test.concurrent("the same with two senders, and the database killed twice", async () => {
  const servers = await privateServers("postgres");
  const it = await orderScene(settings, servers.postgres.adminUrl);
  closeAtEnd(async () => {
    await it.close();
    await servers.stop();
  });
  await it.broker.setFaults(everyFault);
  await placeOrders(it.sql, count);
  const senders = [await it.kenri.start("orders:sender"), await it.kenri.start("orders:sender")];
  for (let round = 0; round < 2; round++) {
    await progressed(it, count / 8);
    await servers.postgres.halt();
    await servers.postgres.start();
    await progressed(it, count / 8);
    await kill(senders[round]!);
    senders[round] = await it.kenri.start("orders:sender");
  }
  await agrees(it);
});
