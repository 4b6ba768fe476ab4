import { choice, duration, httpUrl, integer, optional, type Settings, secret } from "../kernel/config/config.ts";
import { isOpenHttp } from "../kernel/config/loopback.ts";
import type { KernelSettings } from "../kernel/config/settings.ts";
import { cleanupEvery, databaseSettings, healthPortSetting, portSetting } from "../kernel/config/system_settings.ts";

export const adapterNames = ["paper"] as const;

export const ordersSettings = {
  ...databaseSettings("orders"),
  port: portSetting("orders", 8085),
  healthPort: healthPortSetting("orders"),
  broker: {
    adapter: choice("ORDERS_ADAPTER", "how the broker is called", "paper", adapterNames),
    url: httpUrl("BROKER_URL", "the address of the broker; in production https, unless it is loopback or a name without dots"),
    token: optional(secret("BROKER_TOKEN", "the bearer token at the broker; required in production", 16)),
    sendWithin: duration(
      "ORDERS_SEND_WITHIN",
      "the deadline of a send, at most a quarter of ORDERS_LEASE; after it the outcome is unknown",
      "5s",
      {
        minimum: "50ms",
        maximum: "1m",
      },
    ),
    askWithin: duration(
      "ORDERS_ASK_WITHIN",
      "the deadline of a question to the broker, at most a quarter of ORDERS_LEASE, and half of OPERATOR_DEADLINE for an operator's",
      "2s",
      { minimum: "50ms", maximum: "1m" },
    ),
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
    backoffCap: duration("ORDERS_BACKOFF_CAP", "the longest delay; not below ORDERS_BACKOFF", "160s", { minimum: "1ms", maximum: "1d" }),
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
  waits: integer("ORDERS_WAITS", "long polls for an order's outcome at once, in one process; one client gets a quarter of them", 500, {
    minimum: 1,
    maximum: 10_000,
  }),
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

/** What is wrong with the settings together. Settings that could not be read are undefined. */
export function ordersProblems(
  { broker, sender, retention }: OrdersSettings,
  { environment }: Pick<KernelSettings, "environment">,
): string[] {
  const url = URL.parse(broker.url ?? "");
  return [
    ...(environment === "production" ? productionProblems(broker) : []),
    ...(url?.username || url?.password
      ? ["BROKER_URL has a user or a password: it is shown to operators, so set the secret as BROKER_TOKEN instead"]
      : []),
    ...(sender.backoffCap < sender.backoff
      ? ["ORDERS_BACKOFF_CAP is shorter than ORDERS_BACKOFF: the longest delay must not be below the first one"]
      : []),
    ...(retention.ledger < retention.orders
      ? ["LEDGER_RETENTION is shorter than ORDERS_RETENTION: an entry of the ledger must outlive its order in the outbox"]
      : []),
  ];
}

const productionProblems = ({ url, token }: OrdersSettings["broker"]): string[] => [
  ...(token ? [] : ["BROKER_TOKEN is not set: with KENRI_ENV=production the broker is never called without it"]),
  ...(isOpenHttp(url ?? "") && !isNearby(url)
    ? ["BROKER_URL must be https with KENRI_ENV=production, unless it is loopback or a name without dots: others could read the token"]
    : []),
];

/** A name without dots is one of the own network, e.g. that of a container. */
const isNearby = (url: string): boolean => /^[^.:]+$/.test(URL.parse(url)?.hostname ?? "");
