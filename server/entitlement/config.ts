import { entitlementEvents } from "../contracts/entitlement_events.ts";
import { choice, duration, integer, type Settings } from "../kernel/config/config.ts";
import { roleNatsUrls } from "../kernel/config/nats_access.ts";
import { cleanupEvery, databaseSettings, healthPortSetting, portSetting } from "../kernel/config/system_settings.ts";

export const entitlementSettings = {
  ...databaseSettings("entitlement", "migrations and audit partitions"),
  port: portSetting("entitlement", 8081),
  natsUrls: roleNatsUrls("entitlement:api", "entitlement:relay"),
  healthPort: healthPortSetting("entitlement"),
  ...entitlementEvents,
  idempotencyTtl: duration("IDEMPOTENCY_TTL", "how long an Idempotency-Key is remembered", "24h", { minimum: "100ms", maximum: "30d" }),
  changes: {
    lanes: integer("CHANGE_LANES", "connections for grants and revokes", 4, { minimum: 1, maximum: 16 }),
    batch: integer("CHANGE_BATCH", "the most grants and revokes in one statement", 64, { minimum: 1, maximum: 200 }),
    queue: integer(
      "CHANGE_QUEUE",
      "grants and revokes that may wait; above this, requests of the client with the most are answered 503",
      5000,
      {
        minimum: 1,
        maximum: 100_000,
      },
    ),
    wait: duration(
      "CHANGE_WAIT",
      "how long a grant or revoke may wait, at most this and at least half of it; then the answer is 503 and it is never executed",
      "5s",
      {
        minimum: "10ms",
        maximum: "1m",
      },
    ),
  },
  outbox: {
    firstAttempt: choice(
      "OUTBOX_FIRST_ATTEMPT",
      "who makes the first publish attempt: the API at once, or the relay; the relay makes all retries",
      "api",
      ["api", "relay"],
    ),
    poll: duration("OUTBOX_POLL", "how often the relay polls for events; a wake-up makes it poll at once", "1s", {
      minimum: "10ms",
      maximum: "1m",
    }),
    batch: integer("OUTBOX_BATCH", "the most events in one claim", 50, { minimum: 1, maximum: 500 }),
    lanes: integer("OUTBOX_LANES", "claims that a relay works on at once", 2, { minimum: 1, maximum: 8 }),
    lease: duration("OUTBOX_LEASE", "the lease of a relay's claim", "30s", { minimum: "300ms", maximum: "10m" }),
    firstLease: duration(
      "OUTBOX_FIRST_LEASE",
      "the lease of an API's claim, renewed while it publishes; after this the events of a dead API are reclaimed",
      "2s",
      { minimum: "300ms", maximum: "10m" },
    ),
    maxAttempts: integer("OUTBOX_MAX_ATTEMPTS", "attempts before an event is FAILED", 10, { minimum: 1, maximum: 100 }),
    publishWithin: duration("OUTBOX_PUBLISH_WITHIN", "the deadline of a publish", "5s", { minimum: "50ms", maximum: "1m" }),
    sweep: duration("OUTBOX_SWEEP", "how often the claim scans the whole backlog, and expired leases are reclaimed", "3s", {
      minimum: "50ms",
      maximum: "1m",
    }),
    reconcile: duration("OUTBOX_RECONCILE", "how often the relay asks notification which events it has consumed", "1s", {
      minimum: "50ms",
      maximum: "1h",
    }),
    overdue: duration(
      "OUTBOX_OVERDUE",
      "a published event that notification has not consumed after this, while its consumer is idle, is published again",
      "30s",
      { minimum: "100ms", maximum: "1d" },
    ),
    verify: duration(
      "OUTBOX_VERIFY",
      "how often the relay asks notification about confirmed events, to find out that its database was restored to an earlier state",
      "5s",
      { minimum: "50ms", maximum: "1h" },
    ),
    retention: duration("OUTBOX_RETENTION", "how long confirmed events are kept", "7d", { minimum: "0ms", maximum: "365d" }),
  },
  auditMonths: integer("AUDIT_MONTHS", "how many months the audit is kept", 13, { minimum: 1, maximum: 120 }),
  cleanup: cleanupEvery,
} as const;

export type EntitlementSettings = Settings<typeof entitlementSettings>;
