import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import type { Databases } from "../../testing/seeds/chains.ts";
import { putOrders, type SeededOrder } from "../../testing/seeds/orders.ts";

let kenri: TestKenri;
let seeded: { orderId: string; key: string }[];
const order = { symbol: "ACME", side: "BUY", quantity: "10", order_type: "MARKET", client_tag: "desk 7" };
const sent = { kind: "send", after: 20, took: 30, outcome: "succeeded" } as const;
const uuid = crypto.randomUUID();
const longKey = `${"k".repeat(255)}`;
const base = { client: "shop", order, status: "succeeded", calls: [sent], brokerOrderId: "PB-1", answer: { price: "3" } } as const;
const orders: SeededOrder[] = [
  { ...base, at: Date.now() - 5000, key: "order-1" },
  { ...base, at: Date.now() - 4000, client: "web:shop/ä", key: "order-1", status: "failed", isUnknown: true, code: "TIMEOUT" },
  { ...base, at: Date.now() - 3000, client: "web:shop/ä", key: longKey, isGone: true },
  { ...base, at: Date.now() - 2000, key: uuid },
  { ...base, at: Date.now() - 1000, client: "other", key: "shop:order-1" },
];

beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:9" });
  await kenri.start("orders:api");
  seeded = await putOrders({ orders: kenri.store("orders").sql } as unknown as Databases, orders);
});
afterAll(() => kenri.close());

const journey = async (id: string) => {
  const response = await kenri.call("orders", `/ops/journey/${encodeURIComponent(id)}`);
  expect({ id, status: response.status }).toEqual({ id, status: 200 });
  return (await response.json()) as { matched_by: string | null; orders: Record<string, unknown>[] };
};
const idsOf = ({ orders: found }: { orders: Record<string, unknown>[] }) => found.map(({ order_id }) => order_id);

describe("an order is found", () => {
  test.each([
    ["by its id", () => seeded[0]!.orderId, "order_id", [0]],
    ["by its id in capitals", () => seeded[0]!.orderId.toUpperCase(), "order_id", [0]],
    ["by a client's own key, for every client that used it", () => "order-1", "client_order_key", [1, 0]],
    ["by a client's own key that is a UUID", () => uuid, "client_order_key", [3]],
    ["by the longest key", () => longKey, "client_order_key", [2]],
    ["by the longest stored key", () => seeded[2]!.key, "order_key", [2]],
    ["by its stored key, with the order of a client whose own key is the same text", () => seeded[0]!.key, "order_key", [4, 0]],
  ])("%s", async (_, given, matched_by, found) => {
    const answer = await journey(given());
    expect(answer.matched_by).toBe(matched_by);
    expect(idsOf(answer)).toEqual(found.map(index => seeded[index]!.orderId));
  });

  test.each([["nothing"], ["shop:nothing"], [crypto.randomUUID()], ["' or 1=1 --"], ["%"]])("not by %s", async id =>
    expect(await journey(id)).toEqual({ matched_by: null, orders: [] }),
  );
});

test("a journey has the request, the calls, the ledger's history and what people did", async () => {
  const { orderId, key } = seeded[0]!;
  await kenri.store("orders")
    .sql`insert into operator_actions (actor, action, subject, reason) values ('user:otto', 'order.ask', ${orderId}, 'checked')`;
  expect((await journey(orderId)).orders).toEqual([
    expect.objectContaining({
      order_id: orderId,
      idempotency_key: key,
      client_id: "shop",
      request: order,
      status: "succeeded",
      broker_order_id: "PB-1",
      outbox: expect.objectContaining({ status: "succeeded", attempts: 1, outcome_unknown: false }),
      calls: [expect.objectContaining({ number: 1, kind: "send", outcome: "succeeded", duration_ms: 30 })],
      history: [
        expect.objectContaining({ from_status: null, to_status: "accepted", actor: "shop" }),
        expect.objectContaining({ from_status: "accepted", to_status: "succeeded" }),
      ],
      actions: [expect.objectContaining({ action: "order.ask", reason: "checked" })],
    }),
  ]);
});

test("an order that has left the outbox keeps its history", async () => {
  const [one] = (await journey(seeded[2]!.orderId)).orders;
  expect(one).toMatchObject({
    status: "succeeded",
    outbox: null,
    calls: [],
    history: [{ to_status: "accepted" }, { to_status: "succeeded" }],
  });
});
