import { choice, duration, httpUrl, integer, optional, type Settings, secret } from "../kernel/config/config.ts";
import { cleanupEvery, databaseSettings, healthPortSetting, portSetting } from "../kernel/config/system_settings.ts";

export const adapterNames = ["paper"] as const;

export const ordersSettings = {
  ...databaseSettings("orders"),
  port: portSetting("orders", 8085),
  healthPort: healthPortSetting("orders"),
  broker: {
    adapter: choice("ORDERS_ADAPTER", "how the broker is called", "paper", adapterNames),
    url: httpUrl("BROKER_URL", "the address of the broker"),
    token: optional(secret("BROKER_TOKEN", "the bearer token at the broker; required in production", 16)),
    sendWithin: duration("ORDERS_SEND_WITHIN", "the deadline of a send; after it the outcome is unknown", "5s", {
      minimum: "50ms",
      maximum: "1m",
    }),
    askWithin: duration("ORDERS_ASK_WITHIN", "the deadline of a question to the broker", "2s", { minimum: "50ms", maximum: "1m" }),
  },
  sender: {
    lanes: integer("ORDERS_CONCURRENCY", "orders that one sender process sends at once", 4, { minimum: 1, maximum: 64 }),
    maxAttempts: integer("ORDERS_MAX_ATTEMPTS", "sends before an order is aborted", 6, { minimum: 1, maximum: 100 }),
    backoff: duration(
      "ORDERS_BACKOFF",
      "the delay after the first failed attempt, doubled with each; a request that was given up reaches the broker within this time or never",
      "5s",
      {
        minimum: "1ms",
        maximum: "1h",
      },
    ),
    backoffCap: duration("ORDERS_BACKOFF_CAP", "the longest delay", "160s", { minimum: "1ms", maximum: "1d" }),
    giveUpAfter: duration(
      "ORDERS_GIVE_UP_AFTER",
      "how long the broker must be away before waiting orders are aborted; the default is the time of all attempts",
      "315s",
      { minimum: "100ms", maximum: "30d" },
    ),
    lease: duration("ORDERS_LEASE", "the lease of a sender's claim", "30s", { minimum: "300ms", maximum: "10m" }),
    poll: duration("ORDERS_POLL", "how often the sender polls for orders; a wake-up makes it poll at once", "1s", {
      minimum: "10ms",
      maximum: "1m",
    }),
    sweep: duration("ORDERS_SWEEP", "how often the claim scans the whole backlog, and expired leases are reclaimed", "3s", {
      minimum: "50ms",
      maximum: "1m",
    }),
  },
  waits: integer("ORDERS_WAITS", "long polls for an order's outcome at once, in one process", 500, { minimum: 1, maximum: 10_000 }),
  retention: {
    orders: duration("ORDERS_RETENTION", "how long settled orders stay in the outbox", "30d", { minimum: "0ms", maximum: "3650d" }),
    ledger: duration("LEDGER_RETENTION", "how long settled entries of the ledger are kept; their keys are free after it", "365d", {
      minimum: "0ms",
      maximum: "3650d",
    }),
  },
  cleanup: cleanupEvery,
} as const;

export type OrdersSettings = Settings<typeof ordersSettings>;
