import type { Databases } from "./chains.ts";
import { putOrders, type SeededCall, type SeededOrder } from "./orders.ts";

const symbols = ["ACME", "KEN", "ORCHID", "NORTH.B", "TIDE"];
const clients = ["desk-7", "rebalancer", "desk-7", "mobile-app"];
const timeout = { code: "TIMEOUT", message: "the broker did not answer within 5000 ms" };
const away = { code: "UNAVAILABLE", message: "503: the trading engine restarts" };
const refused = { code: "REJECTED", message: "the account may not sell short" };
const unlisted = { code: "UNKNOWN_SYMBOL", message: "TIDE is not listed since 14 November" };

/** Three hours of orders: mostly executed, with a restart of the broker in between. */
export async function putBelievableOrders(databases: Databases, now: number) {
  const at = (minutes: number) => now - minutes * 60_000;
  const send = (after: number, outcome: SeededCall["outcome"], error = {}): SeededCall => ({
    kind: "send",
    after,
    took: outcome === "unknown" ? 5000 : 40 + (after % 90),
    outcome,
    ...error,
  });
  const ask = (after: number, outcome: SeededCall["outcome"], error = {}): SeededCall => ({
    kind: "ask",
    after,
    took: 35,
    outcome,
    ...error,
  });
  let number = 4400;
  const order = (minutes: number, rest: Pick<SeededOrder, "status" | "calls"> & Partial<SeededOrder>): SeededOrder => {
    number += 1;
    const isLimit = number % 3 === 0;
    return {
      at: at(minutes),
      client: clients[number % clients.length]!,
      key: `order-${number}`,
      order: {
        symbol: symbols[number % symbols.length]!,
        side: number % 4 === 0 ? "SELL" : "BUY",
        quantity: String(10 * (1 + (number % 12))),
        order_type: isLimit ? "LIMIT" : "MARKET",
        ...(isLimit ? { limit_price: `${12 + (number % 7)}.25` } : {}),
      },
      ...rest,
    };
  };
  const executed = (minutes: number, calls = [send(30, "succeeded")]): SeededOrder => ({
    ...order(minutes, { status: "succeeded", calls }),
    brokerOrderId: `PB-${90_000 + number}`,
    answer: { broker_order_id: `PB-${90_000 + number}`, state: "filled", price: "12.40", quantity: "10" },
  });
  const tries = [30, 5100, 15_200, 35_300, 75_400, 155_500].map(after => send(after, "retryable", away));
  const orders = [
    ...Array.from({ length: 60 }, (_, index) => executed(170 - index * 2.7)),
    executed(62, [send(30, "unknown", timeout), ask(10_100, "succeeded")]),
    ...Array.from({ length: 4 }, (_, index) => order(64 - index, { status: "aborted", calls: tries, ...away })),
    ...Array.from({ length: 6 }, (_, index) =>
      order(50 - index * 5, { status: "aborted", calls: [send(30, "final", unlisted)], ...unlisted }),
    ),
    order(20, { status: "aborted", calls: [send(30, "final", refused)], ...refused }),
    order(9, { status: "aborted", calls: [], code: "CANCELLED", message: "cancelled by the client" }),
    ...Array.from({ length: 3 }, (_, index) => order(2 - index / 2, { status: "failed", calls: tries.slice(0, 2), ...away })),
    ...[14, 11, 3].map(minutes =>
      order(minutes, {
        status: "failed",
        isUnknown: true,
        calls: [send(30, "unknown", timeout), ask(10_100, "no_answer", timeout)],
        ...timeout,
      }),
    ),
  ];
  const ids = await putOrders(databases, [...orders, { ...executed(1), client: "mobile-app", key: orders[0]!.key }]);
  const isUnknown = orders.findIndex(one => one.isUnknown);
  const aborted = orders.findIndex(one => one.status === "aborted");
  return { order: ids[aborted]!.orderId, unknownOrder: ids[isUnknown]!.orderId, orderKey: orders[0]!.key };
}
