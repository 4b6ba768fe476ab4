import { expect, test } from "bun:test";
import { orderMarkdownOf } from "./markdown.ts";
import { orderOutcomeOf, orderStepsOf } from "./order_steps.ts";
import type { JourneyOrder } from "./queries.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds)).toISOString();
const call = (number: number, kind: "send" | "ask", outcome: JourneyOrder["calls"][number]["outcome"]) => ({
  number,
  kind,
  outcome,
  worker: "w",
  adapter: "paper",
  started_at: at(number),
  duration_ms: 30,
  code: outcome === "succeeded" ? null : "TIMEOUT",
  message: null,
});
const change = (from_status: string | null, to_status: string, seconds: number, actor = "w", reason = "r") => ({
  entry_id: `h${seconds}`,
  at: at(seconds),
  actor,
  from_status,
  to_status,
  reason,
});
const outbox = {
  status: "succeeded",
  attempts: 1,
  outcome_unknown: false,
  last_error_code: null,
  last_error_msg: null,
  next_attempt_at: at(90),
  expires_at: null,
  trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
};
const order: JourneyOrder = {
  order_id: "o1",
  idempotency_key: "shop:k1",
  client_id: "shop",
  request: { symbol: "ACME", side: "BUY", quantity: "10", order_type: "MARKET" },
  status: "succeeded",
  reason_code: null,
  reason: null,
  broker_order_id: "PB-1",
  broker_answer: null,
  accepted_at: at(0),
  settled_at: at(3),
  outbox,
  calls: [call(2, "ask", "succeeded"), call(1, "send", "unknown")],
  history: [change(null, "accepted", 0, "shop"), change("accepted", "succeeded", 3)],
  actions: [],
};
const unknown: JourneyOrder = {
  ...order,
  status: "accepted",
  settled_at: null,
  outbox: { ...outbox, status: "failed", outcome_unknown: true },
  calls: [call(1, "send", "unknown")],
  history: order.history.slice(0, 1),
};
const titles = (one: JourneyOrder) => orderStepsOf(one).map(({ title }) => title);

test("an order is accepted, sent, asked for and settled on one line", () => {
  expect(titles(order)).toEqual([
    "Order accepted: BUY 10 ACME at market",
    "Sent: outcome unknown",
    "Asked: executed",
    "Settled: accepted → succeeded",
  ]);
  expect(orderOutcomeOf(order)).toEqual({ tone: "done", word: "Succeeded" });
});

test("an unknown outcome is the last step and leads to the order, never to a requeue", () => {
  const last = orderStepsOf(unknown).at(-1);
  expect(last).toMatchObject({ at: null, missing: "outcome unknown, the broker is asked", unknownOrder: "o1" });
  expect(last?.row).toBeUndefined();
  expect(orderOutcomeOf(unknown).word).toBe("Outcome unknown");
});

test("a failed order needs attention; one that was cancelled, that expired or that a person settled does not", () => {
  const failed = (reason_code: string): JourneyOrder => ({
    ...order,
    status: "failed",
    reason_code,
    outbox: { ...outbox, status: "aborted" },
    history: [order.history[0]!, change("accepted", "failed", 3)],
  });
  expect(orderStepsOf(failed("REJECTED")).at(-1)).toMatchObject({ title: "Not executed: needs attention", row: { status: "aborted" } });
  for (const code of ["CANCELLED", "EXPIRED", "RESOLVED_FAILED"])
    expect(orderStepsOf(failed(code)).at(-1)?.title).toBe("Settled: accepted → failed");
});

test("an order that waits shows its next attempt, and one in progress says so", () => {
  const waiting = (status: string): JourneyOrder => ({ ...unknown, outbox: { ...outbox, status } });
  expect(orderStepsOf(waiting("failed")).at(-1)).toMatchObject({ tone: "retry", speaksOf: { word: "next attempt" } });
  expect(orderStepsOf(waiting("sending")).at(-1)).toMatchObject({ tone: "flight", text: "in progress" });
  expect(orderStepsOf(waiting("pending")).at(-1)).toMatchObject({ tone: "pending" });
});

test("an order that has left the outbox is not shown as in progress", () => {
  const gone: JourneyOrder = { ...order, outbox: null, calls: [] };
  expect(titles(gone)).toHaveLength(2);
  expect(orderStepsOf(gone)[0]?.text).toContain("deleted from the outbox");
});

test("what a person did is one step, with the reason", () => {
  const action = {
    action_id: "a1",
    at: at(5),
    actor: "user:ada",
    action: "order.resolve",
    subject: "o1",
    reason: "by telephone",
    detail: null,
  };
  const history = [...unknown.history, change("accepted", "succeeded", 5, "user:ada", "by telephone")];
  const asked = { ...action, action_id: "a2", at: at(4), action: "order.ask", reason: "who knows" };
  const settled: JourneyOrder = { ...order, calls: [], history, actions: [action, asked] };
  expect(titles(settled).slice(1)).toEqual(["Broker asked", "Settled: accepted → succeeded"]);
});

const byHand = { action_id: "a1", at: at(5), actor: "user:ada", action: "order.requeue", subject: "o1", reason: "INC-7", detail: null };

test("an action is a step of its own, unless it is the change of the ledger: the same person may give one reason twice", () => {
  const history = [...unknown.history, change("failed", "accepted", 5, "user:ada", "INC-7")];
  const asks = [
    { ...byHand, action_id: "a2", at: at(40), action: "order.ask", detail: { broker_says: "no_answer" } },
    { ...byHand, action_id: "a3", at: at(90), action: "order.retry" },
  ];
  expect(titles({ ...order, calls: [], history, actions: [...asks, byHand] }).slice(1)).toEqual([
    "Requeued: failed → accepted",
    "Broker asked",
    "Order retried now",
  ]);
  const settled = [...history, change("accepted", "succeeded", 50, "user:ada", "INC-7")];
  const twice = [
    { ...asks[0]!, at: at(50) },
    { ...asks[0]!, action_id: "a4", at: at(50), detail: { outcome: "succeeded" } },
  ];
  expect(titles({ ...order, calls: [], history: settled, actions: [...twice, byHand] }).slice(1)).toEqual([
    "Requeued: failed → accepted",
    "Settled: accepted → succeeded",
    "Broker asked",
  ]);
});

test("a discarded order says so, and keeps the history of its ledger entry", () => {
  const actions = [{ ...byHand, at: at(9), action: "order.discard" }];
  const discarded: JourneyOrder = { ...order, status: "failed", outbox: null, calls: [], actions };
  expect(titles(discarded)).toEqual(["Order accepted: BUY 10 ACME at market", "Settled: accepted → succeeded", "Order discarded"]);
  expect(orderStepsOf(discarded)[0]?.text).toContain("discarded by an operator");
});

test("as Markdown, an order names its client, its key and its trace", () => {
  const text = orderMarkdownOf(order, orderStepsOf(order), "http://x/admin/journey/o1");
  expect(text).toStartWith(
    "### Order o1: succeeded\n\nBUY 10 ACME at market, client `shop`, key `shop:k1`, trace `4bf92f3577b34da6a3ce929d0e0e4736`. http://x",
  );
});
