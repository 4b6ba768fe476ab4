import type { RowKind } from "../../kernel/operator/row_kind.ts";

/** The outbox as operators see it. */
export const outboxRows = {
  system: "entitlement",
  name: "outbox",
  audited: "outbox",
  id: "event_id",
  rows: "events",
  title: "Outbox",
  about: "Events on their way from entitlement to the stream",
  one: "event",
  many: "events",
  states: [
    { name: "PENDING", word: "Pending", meaning: "waiting" },
    { name: "RETRYING", word: "Retrying", meaning: "retrying", isDerived: true },
    { name: "IN_FLIGHT", word: "In flight", meaning: "held" },
    { name: "PUBLISHED", word: "Published", meaning: "done" },
    { name: "FAILED", word: "Failed", meaning: "failed" },
  ],
  subsets: [
    { name: "UNCONFIRMED", word: "Unconfirmed", of: "PUBLISHED", about: "are those PUBLISHED that notification is not known to hold" },
  ],
  types: [
    { name: "EntitlementGranted", word: "Granted" },
    { name: "EntitlementRevoked", word: "Revoked" },
  ],
  columns: {
    type: "event_type",
    user: "user_id",
    status: "status",
    attempts: "attempt_count",
    error: "last_error",
    created: "created_at",
    failed: "failed_at",
    due: "next_retry_at",
    done: "published_at",
  },
  facts: [
    { column: "stock_keeping_unit", title: "Item" },
    { column: "aggregate_version", title: "Version", isNumber: true, isMinor: true },
  ],
  actions: { requeue: "OPERATOR", retry: "OPERATOR", discard: "ADMIN" },
} as const satisfies RowKind;
