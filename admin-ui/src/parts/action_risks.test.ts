import { expect, test } from "bun:test";
import { keptOf, requeueRisk } from "./action_risks.ts";

const [outbox, orders] = [{ name: "outbox" }, { name: "orders" }] as const;
const now = Date.UTC(2026, 0, 1, 12);
const at = new Date(now - 3 * 3_600_000).toISOString();

test("the ledger keeps discarded orders; of other rows only the audit log has a record", () => {
  expect(keptOf(outbox, 2)).toBe("Only the audit log keeps a record of them.");
  expect([keptOf(orders, 1), keptOf(orders, 2)].every(text => text.startsWith("The ledger keeps"))).toBe(true);
});

test("requeueing an order warns of a second one, with the age of the failure", () => {
  const exactly = { at, mayBeEarlier: false };
  expect(requeueRisk(outbox, 1, exactly, now)).toBeUndefined();
  expect(requeueRisk(orders, 1, exactly, now)).toBe(
    "The client was told 3 h ago that this order failed, and may have ordered again. If so, both orders are executed.",
  );
  expect(requeueRisk(orders, 2, exactly, now)).toContain("failed, the first 3 h ago, and may");
  expect(requeueRisk(orders, 2, { at, mayBeEarlier: true }, now)).toContain("the first 3 h ago or earlier, and");
  expect(requeueRisk(orders, 2, { at: undefined, mayBeEarlier: true }, now)).toStartWith(
    "The clients were told that these orders failed, and may",
  );
});
