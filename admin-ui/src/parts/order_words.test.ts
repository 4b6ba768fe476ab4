import { expect, test } from "bun:test";
import { callWords, endOf, needsAttention, orderWords } from "./order_words.ts";

const order = { symbol: "ACME", side: "BUY", quantity: "10", order_type: "MARKET" };

test("an order is one line of words", () => {
  expect(orderWords(order)).toBe("BUY 10 ACME at market");
  expect(orderWords({ ...order, side: "SELL", order_type: "LIMIT", limit_price: "12.5" })).toBe("SELL 10 ACME at 12.5 or better");
});

test("a call says what the broker did, and an unknown result is never shown as a success", () => {
  expect(callWords({ kind: "send", outcome: "unknown" })).toEqual({ tone: "stale", word: "Sent: outcome unknown" });
  expect(callWords({ kind: "ask", outcome: "not_known" })).toEqual({ tone: "pending", word: "Asked: never received" });
  expect(callWords({ kind: "send", outcome: "new" })).toEqual({ tone: "failed", word: "Sent: unknown result new" });
});

test("only a cancelled or an expired order has ended for good", () => {
  expect([endOf("CANCELLED"), endOf("EXPIRED")].every(Boolean)).toBe(true);
  expect([endOf("REJECTED"), endOf(null), endOf(undefined)]).toEqual([undefined, undefined, undefined]);
  expect(["CANCELLED", "EXPIRED", "RESOLVED_FAILED", "REJECTED", null].map(needsAttention)).toEqual([false, false, false, true, true]);
});
