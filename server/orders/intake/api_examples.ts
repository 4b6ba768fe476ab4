import { type Problem, problemBody } from "../../kernel/http/problem.ts";
import type { Entry } from "./entry.ts";
import { digestOf, type OrderRequest } from "./order_request.ts";

/** Examples for the API description. */
export const orderExample: OrderRequest = {
  symbol: "ACME",
  side: "BUY",
  quantity: "12.5",
  order_type: "LIMIT",
  limit_price: "101.25",
  client_tag: "rebalance-7",
};

const accepted: Entry = {
  idempotency_key: "order-1",
  order_id: "01a1e8ef-c09e-7654-85ae-d487fb7ee3ac",
  status: "accepted",
  order: orderExample,
  request_digest: digestOf(orderExample),
  accepted_at: "2026-11-17T09:56:28.946975Z",
  attempts: 0,
  outcome_unknown: false,
  outbox_status: "pending",
};

const settled = { settled_at: "2026-11-17T09:56:29.102311Z", attempts: 1 };

export const entryExamples = {
  accepted,
  succeeded: {
    ...accepted,
    ...settled,
    status: "succeeded",
    outbox_status: "succeeded",
    broker_order_id: "P-1042",
    broker_answer: {
      broker_order_id: "P-1042",
      state: "filled",
      price: "100.5",
      quantity: "12.5",
      executed_at: "2026-11-17T09:56:29.080000Z",
    },
  },
  failed: {
    ...accepted,
    ...settled,
    status: "failed",
    outbox_status: "aborted",
    reason_code: "UNKNOWN_SYMBOL",
    reason: "the broker does not trade ACME",
  },
} satisfies Record<string, Entry>;

export const cancelledExample: Entry = {
  ...accepted,
  settled_at: settled.settled_at,
  status: "failed",
  outbox_status: "aborted",
  reason_code: "CANCELLED",
  reason: "the client cancelled the order",
};

/** A response of JSON with one example or several. */
export const answers = (description: string, examples: Record<string, unknown>) => ({
  description,
  content: {
    "application/json": { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) },
  },
});

/** Refusals of a route at a path. */
export const refusals = (path: string, ...problems: readonly Problem[]) =>
  Object.fromEntries(
    problems.map(problem => [
      problem.status,
      {
        description: problem.code,
        content: { "application/problem+json": { example: JSON.parse(problemBody(problem, path)) as unknown } },
      },
    ]),
  );
