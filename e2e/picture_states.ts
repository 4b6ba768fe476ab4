import type { Page } from "@playwright/test";

type Part = [name: string, detail: string | null];
interface Queue {
  readonly waiting: number;
  readonly oldest_wait_seconds: number | null;
  readonly unpaired_seconds: number | null;
  readonly overdue_seconds: number | null;
  readonly unpublished: number;
  readonly oldest_unpublished_seconds: number | null;
  readonly unconfirmed: number;
  readonly oldest_unconfirmed_seconds: number | null;
}
interface SystemState {
  readonly outbox?: Record<string, number>;
  readonly notifications?: Record<string, number>;
  readonly retrying?: number;
  readonly unreadable?: number;
  readonly orders?: { counts?: Record<string, number>; breakers?: Part[]; workers?: Part[] };
  readonly unknown?: number;
  readonly entitlement?: { dependencies?: Part[]; breakers?: Part[]; workers?: Part[] };
  readonly matchmaking?: { queue?: Partial<Queue>; dependencies?: Part[]; breakers?: Part[]; workers?: Part[] };
  readonly notification?: { dependencies?: Part[]; workers?: Part[] };
}

const away = "NATS is not connected";
const full = "JetStream does not store: error opening msg block file (10077)";

const silence = "the broker does not answer; orders wait";

/** Responses of the servers, by the state that the overview shows. */
export const states: Record<string, SystemState> = {
  healthy: {},
  "NATS away": {
    outbox: { PENDING: 27 },
    entitlement: {
      dependencies: [["broker", away]],
      breakers: [["publish", away]],
      workers: [["entitlement:relay", `broker: ${away}; publish: ${away}`]],
    },
    notification: {
      dependencies: [["broker", "does not answer"]],
      workers: [
        ["notification:consumer", `broker: ${away}`],
        ["notification:sender", `broker: ${away}`],
      ],
    },
  },
  "store broken, some failed": {
    outbox: { PENDING: 27, FAILED: 80 },
    notifications: { FAILED: 2 },
    unreadable: 3,
    entitlement: { breakers: [["publish", full]], workers: [["entitlement:relay", `publish: ${full}`]] },
  },
  failed: { outbox: { FAILED: 18 }, notifications: { FAILED: 64 } },
  unreadable: { unreadable: 2 },
  "unknown outcomes": { unknown: 3, orders: { counts: { failed: 3, aborted: 2 } } },
  "broker of orders away": {
    orders: {
      counts: { pending: 12, failed: 4 },
      breakers: [["broker", silence]],
      workers: [["orders:sender", `broker: ${silence}`]],
    },
  },
  "matches not published": {
    matchmaking: {
      queue: { unpublished: 27, oldest_unpublished_seconds: 312 },
      breakers: [["publish", full]],
      workers: [["matchmaking:relay", `publish: ${full}`]],
    },
  },
  "Redis of matchmaking away": {
    matchmaking: {
      dependencies: [["redis", "does not answer"]],
      workers: [
        ["matchmaking:matcher", "redis: Redis does not answer"],
        ["matchmaking:relay", "redis: Redis does not answer"],
      ],
    },
  },
  retrying: { notifications: { PENDING: 7 }, retrying: 7 },
};

const parts = (known: readonly string[], failing: readonly Part[] = []) =>
  known.map(name => {
    const detail = failing.find(([part]) => part === name)?.[1] ?? null;
    return { name, state: detail === null ? "ok" : "trouble", detail };
  });
const counts = (given: Record<string, number> = {}, retrying = 0) => ({
  counts: Object.fromEntries(
    Object.entries({ PENDING: 0, IN_FLIGHT: 0, PROCESSING: 0, PUBLISHED: 4211, SENT: 4190, FAILED: 0, ...given }).map(([state, count]) => [
      state,
      { count, more: false },
    ]),
  ),
  oldest_pending_at: null,
  retrying: { count: retrying, more: false },
});

const orderCounts = (given: Record<string, number> = {}) => ({
  ...counts({ pending: 0, sending: 0, succeeded: 1840, failed: 0, aborted: 0, ...given }, given.failed ?? 0),
});

/** Orders with an unknown outcome, the oldest an hour old. */
const unknownOrders = (many = 0) => ({
  orders: Array.from({ length: many }, (_, index) => ({
    order_id: crypto.randomUUID(),
    idempotency_key: `desk-7:order-${4410 + index}`,
    client_id: "desk-7",
    symbol: "ACME",
    side: "BUY",
    quantity: "10",
    order_type: "MARKET",
    limit_price: null,
    status: "failed",
    attempts: 1,
    outcome_unknown: true,
    last_error_code: "TIMEOUT",
    last_error_msg: "no answer within 5000 ms",
    failed_at: new Date(Date.now() - 60_000).toISOString(),
    created_at: new Date(Date.now() - 3_600_000 + index * 60_000).toISOString(),
    settled_at: null,
    next_attempt_at: new Date(Date.now() + 90_000).toISOString(),
    expires_at: null,
    broker_order_id: null,
    trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
  })),
});

/** A usual hour of one queue. */
const queueOf = (mode: string, strategy: string, given: Partial<Queue> = {}) => ({
  mode,
  strategy,
  ticket_ttl_seconds: 60,
  waiting: 1,
  oldest_wait_seconds: 8.2,
  unpaired_seconds: null,
  overdue_seconds: null,
  time_to_match: { samples: 812, p50_seconds: 1.4, p99_seconds: 31.2 },
  minutes: Array.from({ length: 60 }, (_, n) => ({
    minute: new Date((Math.floor(Date.now() / 60_000) - 59 + n) * 60_000).toISOString(),
    joined: 14,
    matches: Math.round(6 + 4 * Math.sin(n / 6)),
    cancelled: 1,
    expired: n % 9 === 0 ? 2 : 0,
    invalid: 0,
  })),
  totals: { joined: 128_431, matched: 119_022, cancelled: 4310, expired: 5083, invalid: 0 },
  unpublished: 0,
  oldest_unpublished_seconds: null,
  unconfirmed: 0,
  oldest_unconfirmed_seconds: null,
  void_matches: 0,
  ...given,
});

/** Fakes the responses of the servers until the returned function is called. */
export async function fakeResponses(page: Page, state: SystemState): Promise<() => Promise<void>> {
  const { entitlement, notification, matchmaking } = state;
  const answers: Record<string, unknown> = {
    "entitlement/outbox/counts": counts(state.outbox),
    "notification/notifications/counts": counts(state.notifications, state.retrying),
    "orders/orders/counts": orderCounts(state.orders?.counts),
    "orders/orders/counts?fingerprint=": orderCounts({ succeeded: 0 }),
    "orders/orders/unknown": unknownOrders(state.unknown),
    "orders/orders/attention": {
      count: state.orders?.counts?.aborted ?? 0,
      more: false,
      unknown: { count: state.unknown ?? 0, more: false },
    },
    "orders/consistency": { invariants: [] },
    "orders/health": {
      dependencies: parts(["database"]),
      breakers: parts(["broker"], state.orders?.breakers),
      workers: parts(["orders:sender", "orders:janitor"], state.orders?.workers),
      processes: [],
      consumers: [],
    },
    "matchmaking/queues": {
      at: new Date().toISOString(),
      queues: [queueOf("casual", "fifo", matchmaking?.queue), queueOf("rank", "rating")],
    },
    "matchmaking/health": {
      dependencies: parts(["redis", "broker"], matchmaking?.dependencies),
      breakers: parts(["publish"], matchmaking?.breakers),
      workers: parts(["matchmaking:matcher", "matchmaking:relay"], matchmaking?.workers),
      processes: [],
      consumers: [],
    },
    "notification/raw-dead-letters/counts": { open: { count: state.unreadable ?? 0, more: false } },
    "entitlement/consistency": { invariants: [] },
    "notification/consistency": { invariants: [] },
    "entitlement/health": {
      dependencies: parts(["database", "broker"], entitlement?.dependencies),
      breakers: parts(["publish"], entitlement?.breakers),
      workers: parts(["entitlement:relay", "entitlement:janitor"], entitlement?.workers),
      processes: [],
      consumers: [],
    },
    "notification/health": {
      dependencies: parts(["database", "broker"], notification?.dependencies),
      breakers: [],
      workers: parts(["notification:consumer", "notification:sender", "notification:janitor"], notification?.workers),
      processes: [],
      consumers: ["entitlement", "matchmaking"].map(source => ({
        source,
        stream: `${source}-events`,
        ...(notification?.dependencies
          ? { state: "unknown", pending: null, ack_pending: null, redelivered: null }
          : { state: "reading", pending: 2, ack_pending: 1, redelivered: 0 }),
      })),
    },
  };
  for (const [path, json] of Object.entries(answers)) await page.route(`**/admin/api/${path}*`, route => route.fulfill({ json }));
  return () => page.unrouteAll({ behavior: "ignoreErrors" });
}

interface Minutes {
  readonly minutes: readonly Record<string, unknown>[];
}

/** A normal hour with one slow minute. */
export const withOutlier = (page: Page) =>
  page.route("**/admin/api/*/flow?*", async route => {
    const series = (await (await route.fetch()).json()) as Minutes;
    const steps: [step: string, ms: number][] = [
      ["changed", 0],
      ["published", 22],
      ["taken_in", 41],
      ["sent", 63],
    ];
    const minutes = series.minutes.map((minute, index) => {
      const wave = 1 + 0.5 * Math.sin(index / 5) + 0.2 * Math.cos(index * 2);
      const known = steps.filter(([step]) => step in minute);
      const values = known.map(([step, ms]) => {
        const p99_ms = step !== "changed" && index === 22 ? 252_000 : ms * wave * 3;
        return [step, { count: Math.round(40 * wave), p50_ms: ms ? ms * wave : null, p99_ms: ms ? p99_ms : null }];
      });
      return { ...minute, ...Object.fromEntries(values) };
    });
    await route.fulfill({ json: { ...series, minutes } });
  });
