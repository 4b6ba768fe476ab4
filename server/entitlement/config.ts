import { choice, duration, integer, optional, type Settings, secretUrl, text } from "../kernel/config/config.ts";

import { roleNatsUrls } from "../kernel/config/nats_access.ts";

export const entitlementSettings = {
  ownerUrl: optional(secretUrl("ENTITLEMENT_DATABASE_URL", "the database as its owner: migrations and audit partitions")),
  appUrl: secretUrl("ENTITLEMENT_APP_DATABASE_URL", "the database as the app role: everything else"),
  port: integer("ENTITLEMENT_PORT", "the port of the API", 8081, { minimum: 0, maximum: 65535 }),
  natsUrls: roleNatsUrls("entitlement:api", "entitlement:relay"),
  healthPort: optional(
    integer("ENTITLEMENT_HEALTH_PORT", "the health port of entitlement where it differs from HEALTH_PORT", undefined, {
      minimum: 0,
      maximum: 65535,
    }),
  ),
  stream: text("ENTITLEMENT_STREAM", "the JetStream stream of entitlement events", "entitlement-events"),
  subject: text("ENTITLEMENT_SUBJECT", "the subject of entitlement events", "entitlement.events"),
  consumer: text("ENTITLEMENT_CONSUMER", "notification's durable consumer on the stream", "notification-entitlement-consumer"),
  takenInSubject: text("TAKEN_IN_SUBJECT", "where notification answers which events it holds", "notification.taken-in"),
  idempotencyTtl: duration("IDEMPOTENCY_TTL", "how long an Idempotency-Key holds", "24h", { minimum: "100ms", maximum: "30d" }),
  changes: {
    lanes: integer("CHANGE_LANES", "connections that share the grants and revokes", 4, { minimum: 1, maximum: 16 }),
    batch: integer("CHANGE_BATCH", "the most requests in one statement", 64, { minimum: 1, maximum: 200 }),
    queue: integer("CHANGE_QUEUE", "requests that may wait; of more, those of the client with the most are answered 503", 5000, {
      minimum: 1,
      maximum: 100_000,
    }),
    wait: duration(
      "CHANGE_WAIT",
      "how long a grant or revoke waits for its turn at most, and half of that at least; then it is answered 503 and never carried out",
      "5s",
      {
        minimum: "10ms",
        maximum: "1m",
      },
    ),
  },
  outbox: {
    firstAttempt: choice("OUTBOX_FIRST_ATTEMPT", "who publishes first: the API at once, or the relay; retries are the relay's", "api", [
      "api",
      "relay",
    ]),
    poll: duration("OUTBOX_POLL", "the relay looks for events this often, and at once when woken", "1s", {
      minimum: "10ms",
      maximum: "1m",
    }),
    batch: integer("OUTBOX_BATCH", "the most events in one claim", 50, { minimum: 1, maximum: 500 }),
    lanes: integer("OUTBOX_LANES", "claims under way at once in a relay", 2, { minimum: 1, maximum: 8 }),
    lease: duration("OUTBOX_LEASE", "how long a claim holds", "30s", { minimum: "300ms", maximum: "10m" }),
    firstLease: duration(
      "OUTBOX_FIRST_LEASE",
      "how long the claim of an API holds, renewed while it publishes; what an API that died had claimed is taken back after this",
      "2s",
      { minimum: "300ms", maximum: "10m" },
    ),
    maxAttempts: integer("OUTBOX_MAX_ATTEMPTS", "attempts before an event is FAILED", 10, { minimum: 1, maximum: 100 }),
    publishWithin: duration("OUTBOX_PUBLISH_WITHIN", "the deadline of a publish", "5s", { minimum: "50ms", maximum: "1m" }),
    sweep: duration("OUTBOX_SWEEP", "how often the claim looks at the whole backlog again, and leases that ran out are taken back", "3s", {
      minimum: "50ms",
      maximum: "1m",
    }),
    reconcile: duration("OUTBOX_RECONCILE", "how often notification is asked what it holds", "1s", { minimum: "50ms", maximum: "1h" }),
    overdue: duration(
      "OUTBOX_OVERDUE",
      "a published event that notification does not hold after this, though nothing is under way, is sent again",
      "30s",
      { minimum: "100ms", maximum: "1d" },
    ),
    retention: duration("OUTBOX_RETENTION", "how long confirmed events are kept", "7d", { minimum: "0ms", maximum: "365d" }),
  },
  auditMonths: integer("AUDIT_MONTHS", "months of audit that are kept", 13, { minimum: 1, maximum: 120 }),
  cleanup: duration("CLEANUP_EVERY", "how often what is past its retention is deleted", "1m", { minimum: "100ms", maximum: "1d" }),
} as const;

export type EntitlementSettings = Settings<typeof entitlementSettings>;
