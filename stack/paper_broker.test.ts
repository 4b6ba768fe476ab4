import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { alive } from "./process_table.ts";
import { scratchFolder } from "./scratch.ts";
import { startStack } from "./stack.ts";
import { until } from "./wait.ts";

const dir = scratchFolder();
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const orders = async (url: string) => ((await (await fetch(`${url}/book/summary`)).json()) as { orders: number }).orders;

test("the stack's paper broker is started again when it dies, keeps its address and its book, and ends with the stack", async () => {
  const stack = await startStack({ dir, servers: ["broker"], environment: { BROKER_TOKEN: "the-token-of-a-test" } });
  const { broker } = stack;
  try {
    const order = { symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" };
    const headers = { "idempotency-key": "k", authorization: "Bearer the-token-of-a-test" };
    const answer = await fetch(`${broker.url}/orders`, { method: "POST", headers, body: JSON.stringify(order) });
    expect(answer.status).toBe(201);
    const dead = broker.pid;
    broker.kill("SIGKILL");
    await until("another broker", 10_000, () => ![dead, undefined].includes(broker.pid));
    await broker.start(); // waits for the start under way
    expect(await orders(broker.url)).toBe(1);
    // A second stack takes another port.
    const other = await startStack({ dir: scratchFolder(), servers: ["broker"], environment: {} });
    expect(other.broker.url).not.toBe(broker.url);
    expect(await orders(other.broker.url)).toBe(0);
    await other.stop();
    rmSync(other.dir, { recursive: true, force: true });
  } finally {
    const pid = broker.pid!;
    await stack.stop();
    expect(alive(pid)).toBe(false);
  }
});

test("a broker of the environment is used and never stopped", async () => {
  const stack = await startStack({ dir, servers: ["broker"], environment: { BROKER_URL: "https://broker.test" } });
  expect([stack.broker.url, stack.broker.onPaper]).toEqual(["https://broker.test", false]);
  expect(() => stack.broker.kill("SIGKILL")).toThrow(/BROKER_URL/);
  await stack.stop();
});
