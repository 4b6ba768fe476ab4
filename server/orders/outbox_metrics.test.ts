import { afterAll, beforeAll, expect, test } from "bun:test";
import { placeOrders } from "../testing/order_outcomes.ts";
import { type OrderScene, orderScene } from "../testing/order_scene.ts";
import type { TestProcess } from "../testing/process.ts";

let it: OrderScene;
let api: TestProcess;
beforeAll(async () => {
  it = await orderScene();
  api = await it.kenri.start("orders:api");
});
afterAll(() => it.close());

const post = async (path: string, body?: object) => {
  const sent = body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {};
  const response = await it.kenri.call("orders", path, { method: "POST", ...sent });
  expect(response.status).toBe(200);
};

/** An order whose outcome is unknown, and which the broker has. */
async function doubtful(): Promise<string> {
  const [key] = await placeOrders(it.sql, 1);
  const [row] = await it.sql`
    update outbox_orders set status = 'failed', attempts = 1, outcome_unknown = true, failed_at = now(), last_error_code = 'TIMEOUT',
      next_attempt_at = now() + interval '1 hour' where idempotency_key = ${key!} returning order_id`;
  const headers = { "idempotency-key": key!, "content-type": "application/json" };
  const body = JSON.stringify({ symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" });
  await fetch(`${it.broker.url}/orders`, { method: "POST", headers, body });
  return row!.order_id;
}

test("the API counts the orders that clients cancel and that operators settle, each once", async () => {
  const [key] = await placeOrders(it.sql, 1);
  const executed = await doubtful();
  await it.broker.setFaults({ reject: 1 });
  const rejected = await doubtful();
  for (let n = 0; n < 2; n++) {
    await post(`/do/order/${key!.split(":")[1]}:cancel`);
    for (const id of [executed, rejected]) await post(`/ops/orders/${id}/ask`, { reason: "the client calls" });
  }
  const aborted = (code: string) => api.metric("kenri_outbox_aborted_total", `code="${code}"`);
  expect([await api.metric("kenri_outbox_sent_total"), await aborted("CANCELLED"), await aborted("REJECTED")]).toEqual([1, 1, 1]);
});
