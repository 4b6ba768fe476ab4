import type { SystemName } from "./dev_systems.ts";

const grants = [
  { stock_keeping_unit: "starter-pack", reason: "PURCHASE", purchase_id: "demo-1" },
  { stock_keeping_unit: "season-pass", reason: "PURCHASE", purchase_id: "demo-2" },
  { stock_keeping_unit: "beta-access", reason: "CAMPAIGN", purchase_id: "demo-3" },
];

// The paper broker fills the first two and keeps the third open.
const orders = [
  { symbol: "ACME", side: "BUY", quantity: "10", order_type: "MARKET", client_tag: "demo" },
  { symbol: "ACME", side: "SELL", quantity: "2.5", order_type: "LIMIT", limit_price: "0.01", client_tag: "demo" },
  { symbol: "GLOBEX", side: "BUY", quantity: "1", order_type: "LIMIT", limit_price: "0.01", client_tag: "demo" },
];

/**
 * Demo data: entitlements of the user `demo`, and orders of the development key's client. The idempotency keys are fixed, so a repetition is a replay
 * or, for grants after the TTL of their keys, a harmless 409.
 */
export async function seedDemo(urls: Record<SystemName, string>, key: string, onPaper: boolean): Promise<void> {
  // A real broker would execute the orders.
  await Promise.all([seedGrants(urls.entitlement, key), ...(onPaper ? [seedOrders(urls.orders, key)] : [])]);
}

async function seedGrants(url: string, key: string): Promise<void> {
  for (const grant of grants)
    await post(`${url}/v1/entitlements/grants`, key, `demo-seed-${grant.purchase_id}`, { user_id: "demo", ...grant }, [200, 409]);
}

async function seedOrders(url: string, key: string): Promise<void> {
  for (const [n, order] of orders.entries()) await post(`${url}/do/order`, key, `demo-seed-${n + 1}`, order, [200, 202]);
}

async function post(url: string, key: string, idempotencyKey: string, body: object, expected: readonly number[]): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify(body),
  });
  if (!expected.includes(answer.status)) throw new Error(`seeding demo data: ${answer.status} ${await answer.text()}`);
}
