import { expect } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { closeAtEnd, test } from "../../testing/closing.ts";
import { orderScene } from "../../testing/order_scene.ts";
import { isPausedIn, pause, resume } from "../../testing/pausing.ts";

test("a paused sender sends no order and charges no attempt, also after kill -9; orders are accepted, and a resume sends each once", async () => {
  const scene = await orderScene({ ORDERS_POLL: "1m" });
  closeAtEnd(scene.close);
  const { kenri, broker, sql } = scene;
  const api = await kenri.start("orders:api");
  const sender = kenri.launch("orders:sender");
  await sender.healthUrl();
  await pause(kenri, "orders:sender");
  await isPausedIn("orders:sender", api, sender);
  for (let n = 0; n < 3; n++) {
    const headers = { "content-type": "application/json", "idempotency-key": `k${n}` };
    const body = JSON.stringify({ symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" });
    expect((await kenri.call("orders", "/do/order", { method: "POST", headers, body })).status).toBe(202);
  }
  sender.kill("SIGKILL");
  await sender.exited;
  const second = kenri.launch("orders:sender");
  await second.logged("role.paused");
  const depths = () => second.metric("kenri_orders_depth", 'state="pending"');
  await until("it sees them", 10_000, async () => (await depths()) === 3);
  const open = await sql`select status, attempts from outbox_orders`;
  expect([open.map(row => `${row.status} ${row.attempts}`), await broker.book()]).toEqual([["pending 0", "pending 0", "pending 0"], []]);
  await resume(kenri, "orders:sender");
  await until("all are settled", 10_000, async () => (await broker.book()).length === 3);
  await until("each once", 10_000, async () => (await sql`select from idempo_ledger where status = 'succeeded'`).length === 3);
});
