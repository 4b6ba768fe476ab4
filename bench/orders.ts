import { kernelSettings } from "../server/kernel/config/settings.ts";
import { paperAdapter } from "../server/orders/broker/paper_adapter.ts";
import { storedKey } from "../server/orders/order_key.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { outboxOrders } from "../server/testing/order_rows.ts";
import { type TestPaperBroker, testPaperBroker } from "../server/testing/paper_broker.ts";
import { becomes, until } from "../stack/wait.ts";
import { commitTime, wholePages } from "./backlog.ts";
import { type Figure, ms, percentile, perSecond, throughput, timesInTurns, timings } from "./measure.ts";
import { orderSteps, place } from "./order_steps.ts";

const atOnce = 64;
const connections = Number(kernelSettings.database.connections.preset);
const accepted = 10_000;
const sent = 500;
const unmeasured = 50;
// Polling earlier would use the cores that are being measured. The bare steps pause as long.
const untouched = 12;
const rounds = 160;
const warm = 60; // the first ones load pages that the fill pushed out of the cache

/** Acceptance and delivery of orders compared with their bare steps, and the claim at a million rows compared with ten thousand. */
export async function orders(small: TestKenri, large: TestKenri): Promise<Figure[]> {
  await Promise.all([small.makeStore("orders"), large.makeStore("orders")]);
  const broker = await testPaperBroker();
  try {
    return [...(await acceptance(small)), ...(await delivery(small, broker)), ...(await claims(small, large))];
  } finally {
    await broker.stop();
  }
}

/** Orders through HTTP compared with the same statement sent by the driver. No sender runs. */
async function acceptance(kenri: TestKenri): Promise<Figure[]> {
  const api = await kenri.start("orders:api");
  const bare = orderSteps(kenri, connections);
  const direct = (run: string) => (n: number) => bare.accept(`${run}-${n}`);
  const http = (run: string) => (n: number) => place(kenri, `${run}-${n}`);
  await throughput(connections, accepted / 10, direct("warm-direct"));
  await throughput(atOnce, accepted / 10, http("warm-http"));
  const driver = await throughput(connections, accepted, direct("direct"));
  const through = await throughput(atOnce, accepted, http("http"));
  await Promise.all([bare.end(), api.stop()]);
  return [
    {
      what: `orders accepted through HTTP, ${atOnce} at once`,
      value: perSecond(through),
      against: `driver, the same statement over as many connections as the API has (${connections}): ${perSecond(driver)}`,
      ratio: through / driver,
      goal: "",
    },
  ];
}

/** The time from the response to an order until it has succeeded, one order at a time, compared with the steps that every design needs. */
async function delivery(kenri: TestKenri, broker: TestPaperBroker): Promise<Figure[]> {
  const { sql } = kenri.store("orders");
  await sql`truncate outbox_orders, idempo_ledger cascade`;
  const bare = await bareSteps(kenri, broker.url);
  const running = await kenri.start("orders", { BROKER_URL: broker.url, ORDERS_POLL: "1s", ORDERS_SWEEP: "3s" });
  const answered = new Map<string, number>();
  const order = async (n: number, run: string) => {
    const key = `${run}-${n}`;
    const stored = storedKey("tester", key);
    await place(kenri, key);
    answered.set(stored, performance.timeOrigin + performance.now());
    await Bun.sleep(untouched);
    const isDone = async () =>
      (await sql`select from idempo_ledger where idempotency_key = ${stored} and status = 'succeeded'`).length === 1;
    await until("the order has succeeded", 10_000, isDone);
  };
  await timings(unmeasured, n => order(n, "warm"));
  await timings(sent, n => order(n, "timed"));
  await running.stop();
  const rows = await sql`
    select idempotency_key, extract(epoch from settled_at)::float8 * 1000 as settled from idempo_ledger where idempotency_key like 'tester:timed-%'`;
  const gaps = rows.map(row => row.settled - answered.get(row.idempotency_key)!);
  const figure = (what: string, p: number, steps: readonly number[], name: string): Figure => {
    const [time, reference] = [percentile(gaps, p), percentile(steps, p)];
    return { what, value: ms(time), against: `${name}: ${ms(reference)}`, ratio: time / reference, goal: "" };
  };
  return [
    figure("order accepted → succeeded, p50", 50, bare.awake, "claim + call to the broker + settlement, bare, one after the other"),
    figure("the same", 50, bare.paused, "the bare steps with the pause that the orders have between them"),
    figure("order accepted → succeeded, p99", 99, bare.paused, "the same, p99"),
  ];
}

async function bareSteps(kenri: TestKenri, url: string): Promise<{ readonly awake: number[]; readonly paused: number[] }> {
  const bare = orderSteps(kenri, 1);
  const adapter = paperAdapter({ url, sendWithin: 5000, askWithin: 2000 });
  const times = async (run: string, rest: number) => {
    const all: number[] = [];
    for (let n = 0; n < unmeasured + sent; n++) {
      await bare.accept(`${run}-${n}`);
      await Bun.sleep(rest);
      all.push(await bare.deliveryTime(adapter));
    }
    return all.slice(unmeasured);
  };
  const all = { awake: await times("awake", 0), paused: await times("paused", untouched) };
  await bare.end();
  return all;
}

/** Both sizes in turns, so that other load on the machine affects both. */
async function claims(small: TestKenri, large: TestKenri): Promise<Figure[]> {
  const calm = await commitTime(small);
  await wholePages(small, "off");
  await fillOrders(small, 10_000);
  await fillOrders(large, 1_000_000);
  const [base, other] = [orderSteps(small, 1), orderSteps(large, 1)];
  const measure = async (what: string, goal: string, passes: number): Promise<Figure> => {
    const all: [number[], number[]] = [[], []];
    for (let pass = 0; pass < passes; pass++) {
      await becomes(60_000, async () => (await commitTime(small)) < calm * 1.2, 500);
      const times = await timesInTurns(rounds, warm, base.claimTime, other.claimTime);
      for (const turn of [0, 1] as const) all[turn].push(...times[turn]);
    }
    const [reference, time] = [percentile(all[0], 50), percentile(all[1], 50)];
    return { what, value: ms(time), against: `at 10k rows: ${ms(reference)}`, ratio: time / reference, goal };
  };
  const figures = [await measure("claim of one order, a million pending", "≤ 1.5", 3)];
  await wholePages(small, "on");
  figures.push(await measure("claim of one order, a million pending, just after a checkpoint", "", 1));
  await Promise.all([base.end(), other.end()]);
  return figures;
}

/** Pending orders, each with its own due time. Starts vacuumed and after a checkpoint. */
async function fillOrders(kenri: TestKenri, count: number): Promise<void> {
  const { sql } = kenri.store("orders");
  await sql`truncate outbox_orders, idempo_ledger cascade`;
  const due = "clock_timestamp() - interval '1 minute'";
  await sql.unsafe(outboxOrders.text({ next_attempt_at: due }, `generate_series(1, ${count}) n`));
  await sql`vacuum analyze outbox_orders`;
  await sql`checkpoint`;
}
