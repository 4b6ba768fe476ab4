import { afterAll, beforeAll, expect, test } from "bun:test";
import { anyOrder } from "../../testing/order_rows.ts";
import { type OrderScene, orderScene } from "../../testing/order_scene.ts";
import type { Entry } from "./entry.ts";

let scene: OrderScene;
beforeAll(async () => {
  scene = await orderScene();
  await scene.kenri.start("orders");
});
afterAll(() => scene.close());

async function place(key: string): Promise<{ status: number; body: Entry }> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  const response = await scene.kenri.call("orders", "/do/order", { method: "POST", headers, body: JSON.stringify(anyOrder) });
  return { status: response.status, body: (await response.json()) as Entry };
}
const wait = async (key: string) => (await (await scene.kenri.call("orders", `/do/order/${key}/wait?timeout=30`)).json()) as Entry;

test("50 parallel identical orders: one 202, 49 times 200, one ledger row, one order in the broker's book", async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => place("fifty")));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(49).fill(200), 202]);
  expect(new Set(answers.map(({ body }) => body.order_id)).size).toBe(1);
  const settled = await wait("fifty");
  expect(settled).toMatchObject({ status: "succeeded", attempts: 1, outbox_status: "succeeded", broker_answer: { state: "filled" } });
  const [rows] = await scene.sql`select count(*) as entries from idempo_ledger where idempotency_key = 'tester:fifty'`;
  expect(rows?.entries).toBe(1);
  const book = (await scene.broker.book()).filter(({ key }) => key === "tester:fifty");
  expect(book).toMatchObject([{ executions: 1, broker_order_id: settled.broker_order_id }]);
  expect(await place("fifty")).toEqual({ status: 200, body: settled });
});

test("a client that waits gets the broker's rejection", async () => {
  await scene.broker.setFaults({ reject: 1 });
  await place("rejected");
  const failed = await wait("rejected");
  expect(failed).toMatchObject({ status: "failed", attempts: 1, reason_code: "REJECTED", outbox_status: "aborted" });
  expect(failed.reason).toMatch(/\w/);
  expect(await place("rejected")).toEqual({ status: 200, body: failed });
  await scene.broker.setFaults();
});
