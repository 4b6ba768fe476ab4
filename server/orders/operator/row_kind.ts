import type { RowKind } from "../../kernel/operator/row_kind.ts";

/** Orders as operators see them. */
export const orderRows = {
  system: "orders",
  name: "orders",
  audited: "order",
  id: "order_id",
  rows: "orders",
  title: "Orders",
  about: "Orders on their way to the broker",
  one: "order",
  many: "orders",
  states: [
    { name: "pending", word: "Pending", meaning: "waiting" },
    { name: "failed", word: "Retrying", meaning: "retrying" },
    { name: "sending", word: "Sending", meaning: "held" },
    { name: "succeeded", word: "Succeeded", meaning: "done" },
    { name: "aborted", word: "Aborted", meaning: "failed" },
  ],
  types: [
    { name: "MARKET", word: "Market" },
    { name: "LIMIT", word: "Limit" },
  ],
  columns: {
    type: "order_type",
    user: "client_id",
    status: "status",
    attempts: "attempts",
    error: "last_error_msg",
    created: "created_at",
    failed: "failed_at",
    due: "next_attempt_at",
    done: "settled_at",
    unknown: "outcome_unknown",
  },
  facts: [
    { column: "symbol", title: "Symbol" },
    { column: "side", title: "Side" },
    { column: "quantity", title: "Quantity", isNumber: true },
  ],
  actions: { requeue: "OPERATOR", retry: "OPERATOR", discard: "ADMIN" },
  neverRequeued: "cancelled and expired ones",
} as const satisfies RowKind;
