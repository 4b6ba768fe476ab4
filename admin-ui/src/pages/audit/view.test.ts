import { expect, test } from "bun:test";
import type { Action } from "../../api/answers.ts";
import { type AuditView, describeAction, operationIn, readAuditView, sinceOf } from "./view.ts";

const action = (name: string, detail: Action["detail"] = {}): Action => ({
  action_id: "a",
  at: "",
  actor: "user:otto",
  action: name,
  subject: "s1",
  reason: "r",
  detail,
});

test.each([
  [{}, {}],
  [
    { actor: " user:otto ", action: "outbox.requeue", within: "24h" },
    { actor: "user:otto", action: "outbox.requeue", within: "24h" },
  ],
  [{ operation: "o1" }, { operation: "o1" }],
  [{ subject: "e1", actor: "user:otto" }, { subject: "e1" }],
  [{ within: "3 weeks", actor: "", action: 7 }, {}],
] as [Record<string, unknown>, AuditView][])("the address %p is read as %p", (search, view) => expect(readAuditView(search)).toEqual(view));

test("a time range starts at a full minute, so that all pages of a list share it", () => {
  const now = Date.UTC(2026, 0, 2, 12, 0, 30);
  expect(sinceOf({ within: "24h" }, now)).toBe("2026-01-01T12:00:00.000Z");
  expect(sinceOf({}, now)).toBeUndefined();
});

test.each([
  [
    "a bulk requeue",
    action("operation.start", { kind: "notifications", action: "requeue", total: 1228 }),
    "Requeue 1,228 notifications",
    "s1",
  ],
  ["a bulk discard", action("operation.start", { kind: "outbox", action: "discard", total: 2 }), "Discard 2 events", "s1"],
  ["a start without detail", action("operation.start", null), "Bulk operation started", "s1"],
  ["a cancelled operation", action("operation.cancel"), "Bulk operation cancelled", "s1"],
  ["a requeue by hand", action("outbox.requeue"), "Event requeued", undefined],
  ["a question to the broker", action("order.ask", { broker_says: "no_answer" }), "Broker asked: no answer", undefined],
  ["a question that settled an order", action("order.ask", { outcome: "succeeded" }), "Broker asked: executed", undefined],
  ["a question without a known answer", action("order.ask", { broker_says: "•••" }), "Broker asked", undefined],
  ["a pause", { ...action("role.pause"), subject: "orders:sender" }, "Role paused: sender of orders", undefined],
  ["an action without a word", action("<script>"), "Operator: <script>", undefined],
])("%s is described in words and links to its operation", (_, row, did, operation) =>
  expect([describeAction(row), operationIn(row)]).toEqual([did, operation]),
);
