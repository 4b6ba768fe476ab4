import type { RowKind } from "../../kernel/operator/row_kind.ts";

/** Notifications as operators see them. */
export const notificationRows = {
  system: "notification",
  name: "notifications",
  audited: "notification",
  id: "notification_id",
  rows: "notifications",
  title: "Notifications",
  about: "Deliveries from the stream to the user's inbox",
  one: "notification",
  many: "notifications",
  states: [
    { name: "PENDING", word: "Pending", meaning: "waiting" },
    { name: "RETRYING", word: "Retrying", meaning: "retrying", isDerived: true },
    { name: "PROCESSING", word: "In flight", meaning: "held" },
    { name: "SENT", word: "Sent", meaning: "done" },
    { name: "FAILED", word: "Failed", meaning: "failed" },
  ],
  types: [
    { name: "EntitlementGranted", word: "Granted" },
    { name: "EntitlementRevoked", word: "Revoked" },
    { name: "MatchFound", word: "Match found" },
  ],
  columns: {
    type: "type",
    user: "user_id",
    status: "status",
    attempts: "attempt_count",
    error: "last_error",
    created: "created_at",
    failed: "failed_at",
    due: "next_retry_at",
    done: "sent_at",
    stale: "stale",
  },
  facts: [
    { column: "about", title: "About" },
    { column: "aggregate_version", title: "Version", isNumber: true, isMinor: true },
  ],
  actions: { requeue: "OPERATOR", retry: "OPERATOR", discard: "ADMIN" },
} as const satisfies RowKind;
