import type { SystemName } from "./dev_systems.ts";

const grants = [
  { stock_keeping_unit: "starter-pack", reason: "PURCHASE", purchase_id: "demo-1" },
  { stock_keeping_unit: "season-pass", reason: "PURCHASE", purchase_id: "demo-2" },
  { stock_keeping_unit: "beta-access", reason: "CAMPAIGN", purchase_id: "demo-3" },
];

// The paper broker fills the first two, keeps the third open and rejects the last one for good: it does not list that symbol.
const orders = [
  { symbol: "ACME", side: "BUY", quantity: "10", order_type: "MARKET", client_tag: "demo" },
  { symbol: "ACME", side: "SELL", quantity: "2.5", order_type: "LIMIT", limit_price: "0.01", client_tag: "demo" },
  { symbol: "GLOBEX", side: "BUY", quantity: "1", order_type: "LIMIT", limit_price: "0.01", client_tag: "demo" },
  { symbol: "UNKNOWN", side: "BUY", quantity: "3", order_type: "MARKET", client_tag: "demo" },
];

/**
 * Demo data: entitlements of the user `demo`, and orders of the development key's client. The idempotency keys are fixed, so a repetition is a replay
 * or, for grants after the TTL of their keys, a harmless 409.
 */
export async function seedDemo(urls: Record<SystemName, string>, key: string, onPaper: boolean): Promise<void> {
  for (const grant of grants) {
    const url = `${urls.entitlement}/v1/entitlements/grants`;
    await post(url, key, `demo-seed-${grant.purchase_id}`, { user_id: "demo", ...grant }, [200, 409]);
  }
  if (!onPaper) return; // a real broker would execute them
  for (const [n, order] of orders.entries()) await post(`${urls.orders}/do/order`, key, `demo-seed-${n + 1}`, order, [200, 202]);
}

async function post(url: string, key: string, idempotencyKey: string, body: object, expected: readonly number[]): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify(body),
  });
  if (!expected.includes(answer.status)) throw new Error(`seeding demo data: ${answer.status} ${await answer.text()}`);
}
