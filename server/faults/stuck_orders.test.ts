import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { allSettled, disagreements, placeOrders } from "../testing/order_outcomes.ts";
import { type OrderScene, orderScene } from "../testing/order_scene.ts";
import type { TestProcess } from "../testing/process.ts";

const looks = 8;
const quick = {
  LIVENESS_EVERY: "200ms",
  LIVENESS_LOOKS: String(looks),
  ORDERS_LEASE: "1s",
  SHUTDOWN_WITHIN: "3s",
  ORDERS_CONCURRENCY: "1",
};

async function scene(settings: Record<string, string> = {}): Promise<OrderScene> {
  const made = await orderScene({ ...quick, ...settings });
  closeAtEnd(made.close);
  return made;
}

const ended = async ({ sql, broker }: OrderScene) => {
  await allSettled(sql, 60_000);
  expect(await disagreements(sql, broker)).toEqual([]);
};

/** Waits for twice as many looks as make a worker stuck. */
async function looksPass(sender: TestProcess): Promise<void> {
  const count = () => sender.metric("kenri_loop_runs_total", 'loop="orders:sender.liveness"');
  const before = await count();
  await until("enough looks have passed", 30_000, async () => (await count()) >= before + 2 * looks);
}

const isOverdue = ({ sql }: OrderScene) =>
  until("orders are overdue", 30_000, async () => {
    const rows =
      await sql`select from outbox_orders where status in ('pending', 'failed') and next_attempt_at < now() - interval '1 second'`;
    return rows.length > 0;
  });

// The longest one first: the others run beside it.
test.concurrent("a sender does not count as stuck during the broker's Retry-After, and works after it", async () => {
  const it = await scene();
  await it.broker.setFaults({ too_many: 1, retry_after_s: 20 });
  await placeOrders(it.sql, 10);
  const sender = await it.kenri.start("orders:sender");
  await sender.logged("TOO_MANY_REQUESTS");
  await it.broker.setFaults();
  await isOverdue(it);
  await looksPass(sender);
  expect(await it.broker.book()).toEqual([]);
  await ended(it);
  expect(await it.broker.summary()).toMatchObject({ executions: 10, executed_twice: 0 });
  expect(sender.lines.filter(line => /worker.stuck|ended_unasked/.test(line))).toEqual([]);
});

test.concurrent("a stuck orders:sender logs it and exits with 1, and its successor sends the backlog", async () => {
  const it = await scene();
  await placeOrders(it.sql, 10);
  const stuck = it.kenri.launch("orders:sender", { FAULT_STUCK_ROLE: "orders:sender" });
  await stuck.logged("worker.stuck");
  expect(await stuck.exited).toBe(1);
  expect(await it.broker.book()).toEqual([]);
  await it.kenri.start("orders:sender");
  await ended(it);
  expect(await it.broker.summary()).toMatchObject({ executions: 10, executed_twice: 0 });
});

test.concurrent("a sender does not count as stuck while the circuit is open, and works when the broker is back", async () => {
  const it = await scene();
  await it.broker.kill();
  const sender = await it.kenri.start("orders:sender");
  await placeOrders(it.sql, 10);
  await sender.logged("order.circuit_opened");
  await isOverdue(it);
  await looksPass(sender);
  expect(await sender.metric("kenri_orders_circuit_open")).toBe(1);
  await it.broker.start();
  await ended(it);
  expect(sender.lines.filter(line => /worker.stuck|ended_unasked/.test(line))).toEqual([]);
});
