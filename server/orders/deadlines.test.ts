import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { placeOrders } from "../testing/order_outcomes.ts";
import { type OrderScene, orderScene } from "../testing/order_scene.ts";

let it: OrderScene;
beforeAll(async () => {
  it = await orderScene({ ORDERS_SEND_WITHIN: "1m", ORDERS_ASK_WITHIN: "1m", ORDERS_LEASE: "2s", OPERATOR_DEADLINE: "1600ms" });
});
afterAll(() => it.close());

test("the calls of a sender and of an operator end in time, however long their deadlines are", async () => {
  await it.broker.setFaults({ delay_ms: 120_000, asks_too: true });
  await placeOrders(it.sql, 1);
  await it.kenri.start("orders:api orders:sender");
  const calls = () => it.sql<{ kind: string; message: string }[]>`select kind, message from order_attempts order by number`;
  await until("the order was sent and asked about", 30_000, async () => (await calls()).length > 1);
  expect((await calls()).slice(0, 2).map(({ kind, message }) => [kind, message])).toEqual([
    ["send", "the broker did not answer within 500 ms"],
    ["ask", "the broker did not answer within 500 ms"],
  ]);
  const [order] = await it.sql`select order_id from outbox_orders`;
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ reason: "the client calls" }) };
  const asked = await it.kenri.call("orders", `/ops/orders/${order!.order_id}/ask`, init);
  expect([asked.status, await asked.json()]).toMatchObject([
    200,
    { answer: "no_answer", reason_code: "TIMEOUT", message: "the broker did not answer within 800 ms" },
  ]);
});
