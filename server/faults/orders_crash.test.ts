import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { counted } from "../testing/counted.ts";
import { allSettled, disagreements, placeOrders } from "../testing/order_outcomes.ts";
import { type OrderScene, orderScene } from "../testing/order_scene.ts";

const short = { ORDERS_LEASE: "3s", ORDERS_SEND_WITHIN: "1s", ORDERS_ASK_WITHIN: "1s" };

async function scene(settings: Record<string, string> = {}): Promise<OrderScene> {
  const made = await orderScene({ ...short, ...settings });
  closeAtEnd(made.close);
  return made;
}

const ended = async ({ sql, broker }: OrderScene) => {
  await allSettled(sql, 60_000);
  expect(await disagreements(sql, broker)).toEqual([]);
};

// At order.asked a question was answered, so the broker has cut a connection before.
const points = ["order.claimed", "order.sending", "order.sent", "order.asked", "order.settled"];

test.concurrent.each(points)("a sender killed at %s: every order is executed once, and nothing stays held", async point => {
  const it = await scene();
  await it.broker.setFaults({ drop_after: 0.5 });
  await placeOrders(it.sql, 12);
  const victim = await it.kenri.start("orders:sender", { FAULT_KILL_AT: point });
  await victim.killedItself();
  // The server may still run statements of the killed process.
  await until(
    "its statements have ended",
    30_000,
    async () =>
      (await it.sql`select from pg_stat_activity where datname = current_database() and application_name like 'orders:sender%'`).length ===
      0,
  );
  const held = (await it.sql`select from outbox_orders where status = 'sending'`).length;
  if (point !== "order.settled") expect(held).toBeGreaterThan(0);
  const next = await it.kenri.start("orders:sender");
  await ended(it);
  expect(await it.broker.summary()).toMatchObject({ orders: 12, executions: 12, executed_twice: 0 });
  expect(await counted(held, () => next.metric("kenri_orders_reclaimed_total"))).toBe(held);
});

test.concurrent("a sender that hung before a send sends nothing when it resumes after its lease; another one did its work", async () => {
  const it = await scene({ ORDERS_CONCURRENCY: "1" });
  await placeOrders(it.sql, 5);
  const zombie = await it.kenri.start("orders:sender", { FAULT_STOP_AT: "order.sending" });
  await zombie.hung();
  const other = await it.kenri.start("orders:sender");
  await ended(it);
  await counted(1, () => other.metric("kenri_orders_asked_total", 'answer="not_known"'));
  zombie.kill("SIGCONT");
  expect(await zombie.logged("order.fenced")).toContain('"what":"release"');
  expect(await it.broker.summary()).toMatchObject({ orders: 5, executions: 5, executed_twice: 0 });
  expect(await zombie.metric("kenri_outbox_sent_total")).toBe(0);
});

test.concurrent("a sender that hung with an answer settles nothing after its lease; another one asked the broker", async () => {
  const it = await scene({ ORDERS_CONCURRENCY: "1" });
  await placeOrders(it.sql, 5);
  const zombie = await it.kenri.start("orders:sender", { FAULT_STOP_AT: "order.sent" });
  await zombie.hung();
  const other = await it.kenri.start("orders:sender");
  await ended(it);
  expect(await counted(1, () => other.metric("kenri_orders_asked_total", 'answer="succeeded"'))).toBe(1);
  zombie.kill("SIGCONT");
  expect(await zombie.logged("order.fenced")).toContain('"what":"settle"');
  expect(await counted(1, () => zombie.metric("kenri_orders_fenced_total"))).toBe(1);
  await ended(it);
});

test.concurrent("a broker that hangs with the order: it is asked when it goes on, and executes once", async () => {
  const it = await scene();
  const sender = await it.kenri.start("orders:sender");
  await placeOrders(it.sql, 1);
  await allSettled(it.sql, 30_000);
  it.broker.pause();
  await placeOrders(it.sql, 8);
  await sender.logged("order.circuit_opened");
  expect(await it.sql`select from outbox_orders where status = 'failed' and not outcome_unknown`).toHaveLength(0);
  it.broker.resume();
  await ended(it);
  expect(await it.broker.summary()).toMatchObject({ orders: 9, executions: 9, executed_twice: 0 });
});

test.concurrent("a sender that is stopped with SIGTERM settles what is under way and leaves the rest pending", async () => {
  const it = await scene();
  await it.broker.setFaults({ delay_ms: 300 });
  await placeOrders(it.sql, 30);
  const sender = await it.kenri.start("orders:sender");
  await until("some are sent", 30_000, async () => (await it.sql`select from outbox_orders where status = 'succeeded'`).length > 0);
  expect(await sender.stop()).toBe(0);
  const states = await it.sql`select distinct status, outcome_unknown, attempts from outbox_orders order by status`;
  expect([...states]).toEqual([
    { status: "pending", outcome_unknown: false, attempts: 0 },
    { status: "succeeded", outcome_unknown: false, attempts: 1 },
  ]);
  await it.broker.setFaults();
  await it.kenri.start("orders:sender");
  await ended(it);
});
