import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { until } from "../../../stack/wait.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { anyOrder, insertOrder, settleOrder } from "../../testing/order_rows.ts";
import type { Entry } from "./entry.ts";

let kenri: TestKenri;
let base: string;
let longest: Promise<Response>;
beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:9" });
  await kenri.start("orders:api");
  base = kenri.urlOf("orders");
  await place("longest");
  longest = wait("longest", 25);
});
afterAll(() => kenri.close());

async function place(key: string): Promise<Entry> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  const response = await kenri.call("orders", "/do/order", { method: "POST", headers, body: JSON.stringify(anyOrder) });
  expect(response.status).toBe(202);
  return (await response.json()) as Entry;
}

const wait = (key: string, seconds: number, init: RequestInit & { base?: string } = {}) =>
  fetch(`${init.base ?? base}/do/order/${key}/wait?timeout=${seconds}`, { headers: { authorization: `Bearer ${kenri.key}` }, ...init });

/** Waits until the API reads the orders that clients wait for. It reads none while nobody waits. */
async function polls(times = 2): Promise<void> {
  const runs = () => kenri.metric("orders", "kenri_sql_seconds_count", 'statement="ledger_find"');
  const before = await runs();
  await until("the API polls", 10_000, async () => (await runs()) - before >= times);
}

describe("a wait for an order", () => {
  test("that is settled is answered at once", async () => {
    await place("before");
    await settleOrder(kenri.store("orders").sql, "tester:before", { brokerOrderId: "P-1" });
    const since = performance.now();
    expect(await (await wait("before", 30)).json()).toMatchObject({
      status: "succeeded",
      broker_order_id: "P-1",
      outbox_status: "succeeded",
    });
    expect(performance.now() - since).toBeLessThan(10_000);
  });

  test("that is settled meanwhile is answered then", async () => {
    await place("during");
    const since = performance.now();
    const waiting = wait("during", 30);
    await polls();
    await settleOrder(kenri.store("orders").sql, "tester:during", { code: "REJECTED", message: "no" });
    expect(await (await waiting).json()).toMatchObject({
      status: "failed",
      reason_code: "REJECTED",
      reason: "no",
      outbox_status: "aborted",
    });
    expect(performance.now() - since).toBeLessThan(20_000);
  });

  test("that is cancelled meanwhile is answered then", async () => {
    await place("cancelled");
    const waiting = wait("cancelled", 30);
    await polls();
    expect((await kenri.call("orders", "/do/order/cancelled:cancel", { method: "POST" })).status).toBe(200);
    expect(await (await waiting).json()).toMatchObject({ status: "failed", reason_code: "CANCELLED" });
  });

  test("that stays open is answered after the timeout with what is recorded", async () => {
    const entry = await place("never");
    const since = performance.now();
    const answer = await wait("never", 1);
    expect(performance.now() - since).toBeGreaterThan(900);
    expect([answer.status, await answer.json()]).toEqual([200, entry]);
  });

  test("of another client is 404", async () => {
    await place("hidden");
    const headers = { authorization: `Bearer ${await kenri.newKey("rival", ["orders:read"])}` };
    expect((await wait("hidden", 30, { headers })).status).toBe(404);
  });
});

/** A connection of the client with this API key that waits for its order `crowd`. */
async function joinCrowd(apiKey: string, answered: () => void): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname).once("data", answered);
  const request = ["GET /do/order/crowd/wait?timeout=30 HTTP/1.1", `Host: ${hostname}`, `Authorization: Bearer ${apiKey}`, "", ""];
  await new Promise(resolve => socket.write(request.join("\r\n"), resolve));
  return socket;
}

/** Its API key. */
async function newClient(name: string): Promise<string> {
  const apiKey = await kenri.newKey(name, ["orders:read", "orders:write"]);
  await insertOrder(kenri.store("orders").sql, { client: name, key: "crowd" });
  return apiKey;
}

test("a client gets a quarter of the places, and ordinary reads do not wait behind 500 waits", async () => {
  const [first, ...others] = await Promise.all(["one", "two", "three", "four", "five"].map(newClient));
  const last = others.at(-1)!;
  const waitAs = (apiKey: string) => wait("crowd", 1, { headers: { authorization: `Bearer ${apiKey}` } });
  // Sockets, because fetch has at most 256 requests under way; in batches, because of the server's listen queue.
  const crowd: Socket[] = [];
  let refused = 0;
  async function join(apiKey: string): Promise<void> {
    const batch = () => Promise.all(Array.from({ length: 75 }, () => joinCrowd(apiKey, () => refused++)));
    crowd.push(...(await batch()), ...(await batch()));
  }
  await join(first!);
  await until("the first client has its 125 places", 15_000, () => refused === 25);
  const overShare = await waitAs(first!);
  expect([overShare.status, overShare.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await overShare.json()).toMatchObject({ code: "TOO_MANY_WAITS", detail: expect.stringContaining("125 waits of this client") });
  expect((await waitAs(last)).status).toBe(200);

  for (const apiKey of others.slice(0, 3)) await join(apiKey);
  await until("there is no place left", 15_000, () => refused >= 100);
  const overAll = await waitAs(last);
  expect([overAll.status, overAll.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await overAll.json()).toMatchObject({ code: "UNAVAILABLE", detail: expect.stringContaining("too many clients wait") });
  const authorization = `Bearer ${last}`;
  const reads = await Promise.all(
    Array.from({ length: 100 }, () => kenri.call("orders", "/do/order/crowd", { headers: { authorization } })),
  );
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  for (const one of crowd) one.destroy();
  await until("the places are free again", 15_000, async () => (await waitAs(first!)).status === 200);
}, 90_000);

test("a stopping process answers its waits at once with what is recorded, and ends in time", async () => {
  await place("stopped");
  const other = await kenri.start("orders:api");
  const url = kenri.urlOf("orders");
  const waiting = Array.from({ length: 20 }, () => wait("stopped", 30, { base: url }));
  const polled = async () => (await other.metric("kenri_loop_runs_total", 'loop="orders.waits"')) > 1;
  await until("the process polls", 10_000, polled);
  const since = performance.now();
  const code = await other.stop();
  const answers = await Promise.all(waiting);
  expect(performance.now() - since).toBeLessThan(10_000);
  expect(code).toBe(0);
  for (const answer of answers) expect([answer.status, await answer.json()]).toMatchObject([200, { status: "accepted" }]);
});

test("a wait may be longer than the idle timeout of connections", async () => {
  const answer = await longest;
  expect([answer.status, await answer.json()]).toMatchObject([200, { idempotency_key: "longest", status: "accepted" }]);
}, 60_000);
