import { expect, test } from "bun:test";
import type { Monitoring } from "../../../../server/gateway/monitoring/monitoring.ts";
import type { HealthPart, SourceLag, SystemHealth } from "../../../../server/kernel/operator/health_routes.ts";
import type { Counts, Invariant } from "../../api/answers.ts";
import type { Queue } from "../../api/matchmaking_answers.ts";
import { headlineOf, type OverviewData, type QueryResult } from "./headline.ts";

const now = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();
const known = <T>(data: T, at = now - 1000): QueryResult<T> => ({ data, error: undefined, at });
const lost = <T>(error: string, isUnreachable = false): QueryResult<T> => ({ data: undefined, error, at: 0, isUnreachable });
const asked: QueryResult<never> = { data: undefined, error: undefined, at: 0 };

const part = (name: string, detail: string | null = null, state: HealthPart["state"] = detail === null ? "ok" : "trouble"): HealthPart => ({
  name,
  state,
  detail,
});
const pausedRole = (role: string) => ({ role, paused_at: ago(60), paused_by: "user:o", reason: "maintenance" });
const lag = (pending: number, source = "entitlement"): SourceLag => ({
  source,
  stream: `${source}-events`,
  state: "reading",
  pending,
  ack_pending: 0,
  redelivered: 0,
});
const unread = (state: SourceLag["state"], source = "matchmaking"): SourceLag => ({
  source,
  stream: `${source}-events`,
  state,
  pending: null,
  ack_pending: null,
  redelivered: null,
});
const well: Record<"entitlement" | "notification", SystemHealth> = {
  entitlement: {
    dependencies: [part("database"), part("broker")],
    workers: [part("entitlement:relay"), part("entitlement:janitor")],
    processes: [],
    breakers: [part("publish")],
    consumers: [],
    paused: [],
  },
  notification: {
    dependencies: [part("database"), part("broker")],
    workers: [part("notification:consumer"), part("notification:sender"), part("notification:janitor")],
    processes: [],
    breakers: [],
    consumers: [lag(3), lag(0, "matchmaking")],
    paused: [],
  },
};
const wellOrders: SystemHealth = {
  dependencies: [part("database")],
  workers: [part("orders:sender"), part("orders:janitor")],
  processes: [],
  breakers: [part("broker")],
  consumers: [],
  paused: [],
};
const wellMatchmaking: SystemHealth = {
  dependencies: [part("redis"), part("broker")],
  workers: [part("matchmaking:matcher"), part("matchmaking:relay")],
  processes: [],
  breakers: [part("publish")],
  consumers: [],
  paused: [],
};
const calm: Monitoring = {
  state: "ok",
  detail: null,
  evaluated_at: null,
  objectives: [],
  alerts: [],
  alerts_left_out: 0,
  failing_rules: [],
};
const objective = (budget_remaining: number): Monitoring["objectives"][number] => ({
  slo: "grants",
  objective: 0.9995,
  state: "measured",
  budget_remaining,
  error_28d: 0.002,
  error_1h: 0,
  error_5m: 0,
  since: null,
});
const alert = (severity: string, state: "firing" | "pending" = "firing") => ({
  name: "KenriProcessDown",
  severity,
  state,
  since: "2026-01-01T00:00:00Z",
  summary: "It is down.",
  labels: {},
  runbook: null,
  page: null,
});
const queue = (given: Partial<Queue> = {}): Queue => ({
  mode: "casual",
  strategy: "fifo",
  ticket_ttl_seconds: 60,
  waiting: 1,
  oldest_wait_seconds: 12,
  unpaired_seconds: null,
  overdue_seconds: null,
  time_to_match: { samples: 0, p50_seconds: null, p99_seconds: null },
  minutes: [{ minute: ago(60), joined: 9, matches: 3, cancelled: 1, expired: 2, invalid: 0 }],
  totals: { joined: 9, matched: 6, cancelled: 1, expired: 2, invalid: 0 },
  unpublished: 0,
  oldest_unpublished_seconds: null,
  unconfirmed: 0,
  oldest_unconfirmed_seconds: null,
  void_matches: 0,
  ...given,
});
const rows = (some: Record<string, number> = {}, more: Partial<Counts> = {}): Counts => ({
  counts: Object.fromEntries(Object.entries({ PENDING: 0, FAILED: 0, ...some }).map(([state, count]) => [state, { count, more: false }])),
  oldest_pending_at: null,
  retrying: { count: 0, more: false },
  ...more,
});
const invariant = (state: Invariant["state"]): Invariant => ({
  name: "feed_gaps",
  about: "",
  bounded: null,
  count: { count: state === "ok" ? 0 : 1, more: false },
  oldest: null,
  sample: [],
  state,
});

interface Given {
  readonly entitlement?: Partial<SystemHealth>;
  readonly notification?: Partial<SystemHealth>;
  readonly outbox?: Counts;
  readonly deliveries?: Counts;
  readonly unreadable?: number;
  readonly orders?: Partial<SystemHealth>;
  readonly orderCounts?: Counts;
  /** The ages of orders with an unknown outcome, in seconds. */
  readonly unknown?: readonly number[];
  readonly matchmaking?: Partial<SystemHealth>;
  readonly queue?: Partial<Queue>;
  readonly invariants?: Invariant[];
  readonly gateway?: readonly HealthPart[];
  readonly monitoring?: Monitoring;
  readonly overview?: Partial<OverviewData>;
}

const sightOf = ({
  entitlement,
  notification,
  outbox,
  deliveries,
  unreadable = 0,
  orders,
  orderCounts,
  unknown = [],
  matchmaking,
  queue: given,
  invariants = [invariant("ok")],
  gateway = [part("redis"), part("broker")],
  monitoring = calm,
  overview,
}: Given): OverviewData => ({
  now,
  every: 5000,
  health: {
    entitlement: known({ ...well.entitlement, ...entitlement }),
    notification: known({ ...well.notification, ...notification }),
    ...(orders ? { orders: known({ ...wellOrders, ...orders }) } : {}),
    ...(matchmaking ? { matchmaking: known({ ...wellMatchmaking, ...matchmaking }) } : {}),
  },
  gateway: known({ dependencies: gateway, workers: [], processes: [], breakers: [], consumers: [], paused: [] }),
  monitoring: known(monitoring),
  counts: {
    outbox: known(outbox ?? rows()),
    notifications: known(deliveries ?? rows()),
    ...(orderCounts ? { orders: known(orderCounts) } : {}),
  },
  consistency: { entitlement: known({ invariants: [] }), notification: known({ invariants }) },
  unreadable: known({ count: unreadable, more: false }),
  unknownOrders: known({
    count: { count: unknown.length, more: false },
    oldest: unknown.length > 0 ? ago(Math.max(...unknown)) : undefined,
  }),
  queues: known({ at: ago(0), queues: [queue(given), queue({ mode: "rank", strategy: "rating", waiting: 0, oldest_wait_seconds: null })] }),
  growingLags: [],
  ...overview,
});

const away = "NATS is not connected";
const refused = "NATS refuses the credentials of user entitlement_relay (Authorization Violation); check ENTITLEMENT_RELAY_NATS_URL";
const broken = "JetStream does not store: error reading from stream store (10077)";
const noBroker = {
  entitlement: {
    dependencies: [part("database"), part("broker", away)],
    breakers: [part("publish", away)],
    workers: [part("entitlement:relay", `broker: ${away}; publish: ${away}`), part("entitlement:janitor")],
    processes: [],
  },
  notification: {
    dependencies: [part("database"), part("broker", "does not answer")],
    workers: [part("notification:consumer", `broker: ${away}`), part("notification:sender", `broker: ${away}`)],
    processes: [],
    consumers: [unread("unknown", "entitlement"), unread("unknown")],
  },
};
const silence = "the broker does not answer; orders wait";
const noOrderBroker = {
  breakers: [part("broker", silence)],
  workers: [part("orders:sender", `broker: ${silence}`), part("orders:janitor")],
  processes: [],
};
const noDatabase = [part("database", "does not answer"), part("broker")];

type Case = [what: string, given: Given, tone: string, text: string, others?: string[]];
const cases: Case[] = [
  ["all parts are healthy", {}, "done", "All systems are healthy"],
  [
    "a paused role is never healthy, and no failure",
    { entitlement: { paused: [pausedRole("entitlement:relay")], workers: [part("entitlement:relay", "paused by user:o", "paused")] } },
    "retry",
    "Paused by operators: relay of entitlement",
  ],
  [
    "a failure stands before a pause, and rows that wait behind it",
    {
      outbox: rows({ FAILED: 1, PENDING: 4 }, { oldest_pending_at: ago(300) }),
      entitlement: { paused: [pausedRole("entitlement:relay")] },
      orders: { paused: [pausedRole("orders:sender")] },
    },
    "failed",
    "1 failed: needs attention",
    ["Paused by operators: relay of entitlement, sender of orders", "The oldest has waited for 5 m"],
  ],
  [
    "players whom a paused matcher does not pair are no failure",
    { matchmaking: { paused: [pausedRole("matchmaking:matcher")] }, queue: { waiting: 4, oldest_wait_seconds: 30, unpaired_seconds: 20 } },
    "retry",
    "Paused by operators: matcher of matchmaking",
  ],
  [
    "matches that a paused relay does not publish are no failure",
    { matchmaking: { paused: [pausedRole("matchmaking:relay")] }, queue: { unpublished: 3, oldest_unpublished_seconds: 125 } },
    "retry",
    "Paused by operators: relay of matchmaking",
  ],
  ["orders are healthy too", { orders: {}, orderCounts: rows({ succeeded: 9 }) }, "done", "All systems are healthy"],
  ["an unknown outcome needs attention", { unknown: [300, 2] }, "failed", "2 unknown outcomes of orders: needs attention"],
  ["a young unknown outcome is being asked for", { unknown: [2] }, "retry", "1 unknown outcome of orders, the broker is being asked"],
  [
    "unknown outcomes stand before failed rows",
    { unknown: [300], orders: {}, orderCounts: rows({ aborted: 4 }) },
    "failed",
    "1 unknown outcome of orders: needs attention",
    ["4 failed: needs attention"],
  ],
  [
    "an old unknown outcome does not hide the age of the orders that wait",
    { unknown: [2400], orders: {}, orderCounts: rows({ pending: 1000 }, { oldest_pending_at: ago(2400) }) },
    "failed",
    "1 unknown outcome of orders: needs attention",
    ["The oldest has waited for 40 m"],
  ],
  [
    "unknown outcomes that are pending again are not subtracted from the orders that are retried",
    {
      unknown: [300, 300],
      orders: {},
      orderCounts: rows({ pending: 2, failed: 2 }, { retrying: { count: 2, more: false }, oldest_pending_at: ago(300) }),
    },
    "failed",
    "2 unknown outcomes of orders: needs attention",
    ["2 are being retried, the oldest has waited for 5 m"],
  ],
  ["an aborted order needs attention", { orders: {}, orderCounts: rows({ aborted: 1 }) }, "failed", "1 failed: needs attention"],
  [
    "the broker of orders is not NATS",
    { orders: noOrderBroker, orderCounts: rows({ pending: 3, failed: 2 }) },
    "failed",
    "The broker of orders does not answer: orders are accepted, 5 orders wait",
    ["Affected: breaker of broker, sender"],
  ],
  [
    "the broker of orders refuses the token",
    { orders: { breakers: [part("broker", "the broker refuses the token (401): check BROKER_TOKEN; orders wait")] } },
    "failed",
    "The broker of orders refuses the token (401): check BROKER_TOKEN: orders are accepted, orders wait",
    ["Affected: breaker of broker"],
  ],
  [
    "an outage of NATS does not explain an outage of the broker of orders",
    { ...noBroker, orders: noOrderBroker },
    "failed",
    `NATS is unreachable: grants continue, events wait`,
    [
      "The broker of orders does not answer: orders are accepted, orders wait",
      "Affected: breaker of publish, relay, consumer, sender, breaker of broker",
    ],
  ],
  [
    "a sender of orders that makes no progress",
    { orders: { workers: [part("orders:sender", "order.sender is stuck")] }, orderCounts: rows({ pending: 1 }) },
    "failed",
    "The sender of orders was stuck and is being restarted: orders are accepted, 1 order waits",
  ],
  [
    "an order that waits for long is shown",
    { orders: {}, orderCounts: rows({ pending: 1 }, { oldest_pending_at: ago(300) }) },
    "retry",
    "The oldest has waited for 5 m",
  ],
  [
    "unknown outcomes that cannot be listed are never shown as none",
    { overview: { unknownOrders: lost("no answer") } },
    "failed",
    "Unknown outcomes cannot be listed: no answer",
  ],
  [
    "matchmaking is healthy too: a player waits, and expired tickets are normal",
    { matchmaking: {}, queue: { unpublished: 1, oldest_unpublished_seconds: 0.1 } },
    "done",
    "All systems are healthy",
  ],
  [
    "matches are not published",
    { matchmaking: {}, queue: { unpublished: 3, oldest_unpublished_seconds: 125 } },
    "failed",
    "3 matches are not published, the oldest for 2 m 5 s: needs attention",
  ],
  [
    "matches are published late",
    { matchmaking: {}, queue: { unpublished: 1, oldest_unpublished_seconds: 8 } },
    "retry",
    "1 match is not published, the oldest for 8.0 s",
  ],
  [
    "matches are not announced",
    { matchmaking: {}, queue: { unconfirmed: 2, oldest_unconfirmed_seconds: 90 } },
    "failed",
    "2 matches are published and not announced, the oldest for 1 m 30 s: needs attention",
  ],
  [
    "tickets turn invalid",
    { matchmaking: {}, queue: { minutes: [{ minute: ago(60), joined: 0, matches: 0, cancelled: 0, expired: 9, invalid: 2 }] } },
    "failed",
    "2 tickets became invalid in the last hour: needs attention",
  ],
  [
    "nobody is paired, although no worker has a trouble",
    { matchmaking: {}, queue: { waiting: 4, oldest_wait_seconds: 30, unpaired_seconds: 20 } },
    "failed",
    "4 players wait in casual, and nobody has paired them for 20 s: needs attention",
  ],
  [
    "nobody is paired by rating",
    { matchmaking: {}, queue: { mode: "rank", strategy: "rating", waiting: 2, oldest_wait_seconds: 50, unpaired_seconds: 20 } },
    "failed",
    "2 players wait in rank, and nobody has paired them for 20 s: needs attention",
  ],
  [
    "a player released from a void match waits alone, and joined long ago",
    { matchmaking: {}, queue: { waiting: 1, oldest_wait_seconds: 900 } },
    "done",
    "All systems are healthy",
  ],
  [
    "the matcher does not run",
    { matchmaking: { workers: [part("matchmaking:matcher", "the worker ended unasked and is started again"), part("matchmaking:relay")] } },
    "failed",
    "The matcher of matchmaking stopped and is being restarted: players can join, and nobody is paired",
  ],
  [
    "the relay of matchmaking does not run",
    {
      matchmaking: { workers: [part("matchmaking:relay", "stuck: nothing was done for 10 intervals; restarted")] },
      queue: { unpublished: 2 },
    },
    "failed",
    "The relay of matchmaking was stuck and is being restarted: players are paired, 2 matches wait",
  ],
  [
    "Redis of matchmaking is away, so nothing of it works",
    {
      matchmaking: {
        dependencies: [part("redis", "does not answer"), part("broker")],
        workers: [part("matchmaking:matcher", "redis: Redis does not answer"), part("matchmaking:relay", "redis: Redis does not answer")],
        processes: [],
      },
      overview: { queues: lost("Redis does not answer") },
    },
    "failed",
    "Redis of matchmaking is unreachable: nobody can join, and nobody is paired",
    ["Affected: matcher, relay"],
  ],
  [
    "Redis refuses commands of the relay: the reason is named, and hides nothing else",
    {
      matchmaking: {
        dependencies: [part("redis"), part("broker")],
        workers: [
          part("matchmaking:matcher", "liveness of casual: work is due"),
          part("matchmaking:relay", "redis: Redis does not permit it"),
        ],
      },
    },
    "failed",
    "Matchmaking: Redis does not permit it: players may not be able to join, or are not paired or told",
    ["The matcher of matchmaking is broken (liveness of casual: work is due): players can join, and nobody is paired", "Affected: relay"],
  ],
  [
    "NATS is away for matchmaking too: pairing continues",
    {
      ...noBroker,
      outbox: rows({ PENDING: 2 }),
      matchmaking: {
        dependencies: [part("redis"), part("broker", away)],
        breakers: [part("publish", away)],
        workers: [part("matchmaking:matcher"), part("matchmaking:relay", `broker: ${away}; publish: ${away}`)],
        processes: [],
      },
      queue: { unpublished: 3, oldest_unpublished_seconds: 2 },
    },
    "failed",
    "NATS is unreachable: grants continue, 2 events wait; players are paired, 3 matches wait, the oldest for 2.0 s",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "only matchmaking has lost NATS",
    {
      matchmaking: { dependencies: [part("redis"), part("broker", away)], workers: [part("matchmaking:relay", `broker: ${away}`)] },
      queue: { unpublished: 1, oldest_unpublished_seconds: 180 },
    },
    "failed",
    "NATS is unreachable for matchmaking: players are paired, 1 match waits, the oldest for 3 m",
    ["Affected: relay"],
  ],
  [
    "the stream of matches does not store",
    { matchmaking: { breakers: [part("publish", broken)] } },
    "failed",
    `${broken}: players are paired, matches wait`,
    ["Affected: breaker of publish"],
  ],
  [
    "matches are not confirmed",
    { matchmaking: { workers: [part("matchmaking:relay", "confirmation: nobody answers which matches were announced")] } },
    "failed",
    "Notification does not confirm announced matches: published matches are kept",
  ],
  [
    "matchmaking does not answer",
    {
      overview: {
        health: { entitlement: known(well.entitlement), notification: known(well.notification), matchmaking: lost("502") },
        queues: lost("502"),
      },
    },
    "failed",
    "Matchmaking does not answer: players may not be able to join; paired matches are kept",
  ],
  [
    "queues that cannot be read are never shown as empty",
    { matchmaking: {}, overview: { queues: lost("it took too long") } },
    "failed",
    "The queues of matchmaking cannot be read: it took too long",
  ],
  [
    "an unsigned key in Redis comes first, followed by other failures",
    { gateway: [part("redis"), part("redis_integrity", "Redis holds a session that no gateway signed")], outbox: rows({ FAILED: 2 }) },
    "failed",
    "Redis holds a session that no gateway signed",
    ["2 failed: needs attention"],
  ],
  [
    "NATS is unreachable for the gateway too: only the systems report it",
    { ...noBroker, gateway: [part("broker", away)], outbox: rows({ PENDING: 1 }) },
    "failed",
    "NATS is unreachable: grants continue, 1 event waits",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "NATS is unreachable: one cause for all affected parts",
    { ...noBroker, outbox: rows({ PENDING: 26, IN_FLIGHT: 1 }) },
    "failed",
    "NATS is unreachable: grants continue, 27 events wait",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "one event waits",
    { ...noBroker, outbox: rows({ PENDING: 1 }) },
    "failed",
    "NATS is unreachable: grants continue, 1 event waits",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "the number of waiting events is unknown",
    { ...noBroker, overview: { counts: { outbox: asked, notifications: asked } } },
    "failed",
    "NATS is unreachable: grants continue, events wait",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "NATS is unreachable and rows failed before: both are reported",
    { ...noBroker, outbox: rows({ PENDING: 2, FAILED: 80 }), deliveries: rows({ FAILED: 2 }) },
    "failed",
    "NATS is unreachable: grants continue, 2 events wait. 82 failed: needs attention",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "NATS refuses a role: the headline says what to check",
    {
      entitlement: { ...noBroker.entitlement, dependencies: [part("database"), part("broker", refused)] },
      notification: noBroker.notification,
      outbox: rows({ PENDING: 2 }),
    },
    "failed",
    `${refused}: grants continue, 2 events wait`,
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "only notification has lost NATS",
    { notification: noBroker.notification },
    "failed",
    "NATS is unreachable for notification: events wait in the stream, nothing is lost",
    ["Affected: consumer, sender"],
  ],
  [
    "the store of JetStream is broken",
    {
      entitlement: { breakers: [part("publish", broken)], workers: [part("entitlement:relay", `publish: ${broken}`)] },
      outbox: rows({ PENDING: 27 }),
    },
    "failed",
    `${broken}: grants continue, 27 events wait`,
    ["Affected: breaker of publish, relay"],
  ],
  [
    "JetStream lets every deadline pass",
    { entitlement: { breakers: [part("publish", "5 deadlines in a row passed without an answer")] } },
    "failed",
    "JetStream does not answer: grants continue, events wait",
    ["Affected: breaker of publish"],
  ],
  [
    "PostgreSQL of notification is unreachable, so its counts are missing too",
    {
      notification: { dependencies: noDatabase },
      overview: {
        counts: { outbox: known(rows()), notifications: lost("the database is away") },
        unreadable: lost("the database is away"),
      },
    },
    "failed",
    "PostgreSQL of notification is unreachable: events wait in the stream, nothing is lost",
  ],
  [
    "PostgreSQL of entitlement is unreachable",
    { entitlement: { dependencies: noDatabase } },
    "failed",
    "PostgreSQL of entitlement is unreachable: grants are refused; accepted grants are kept",
  ],
  [
    "PostgreSQL of both is unreachable",
    { entitlement: { dependencies: noDatabase }, notification: { dependencies: noDatabase } },
    "failed",
    "PostgreSQL is unreachable: grants are refused, events wait in the stream, nothing is lost",
  ],
  [
    "two causes at once: the wider one first",
    { entitlement: { dependencies: noDatabase }, notification: { ...noBroker.notification } },
    "failed",
    "PostgreSQL of entitlement is unreachable: grants are refused; accepted grants are kept",
    ["NATS is unreachable for notification: events wait in the stream, nothing is lost", "Affected: consumer, sender"],
  ],
  [
    "a worker ended",
    {
      entitlement: { workers: [part("entitlement:relay", "the worker ended unasked and is started again")] },
      outbox: rows({ PENDING: 4 }),
    },
    "failed",
    "The relay of entitlement stopped and is being restarted: grants continue, 4 events wait",
  ],
  [
    "a worker was stuck",
    { notification: { workers: [part("notification:consumer", "stuck: nothing was done for 10 intervals; restarted")] } },
    "failed",
    "The consumer of notification was stuck and is being restarted: events wait in the stream, nothing is lost",
  ],
  [
    "a worker with the name of another system's worker",
    { notification: { workers: [part("notification:relay", "stuck: nothing was done for 10 intervals; restarted")] } },
    "failed",
    "The relay of notification was stuck and is being restarted",
  ],
  [
    "a worker reports an unknown problem",
    { notification: { workers: [part("notification:sender", "the disk is full")] }, deliveries: rows({ PENDING: 2 }) },
    "failed",
    "The sender of notification is broken (the disk is full): 2 notifications wait",
  ],
  [
    "no confirmations arrive",
    { entitlement: { workers: [part("entitlement:relay", "confirmation: nobody answers which events notification holds")] } },
    "failed",
    "Notification does not confirm consumed events: published events are kept",
  ],
  [
    "confirmations have a wrong signature",
    {
      entitlement: {
        workers: [
          part("entitlement:relay", "confirmation: 3 answers with a wrong signature refused in the last minute; published events are kept"),
        ],
      },
    },
    "failed",
    "Confirmations of consumed events have a wrong signature: another sender answers for notification, or EVENT_SIGNING_KEYS differ; published events are kept",
  ],
  [
    "notification does not answer, so no confirmations arrive",
    {
      entitlement: { workers: [part("entitlement:relay", "confirmation: nobody answers which events notification holds")] },
      overview: {
        health: {
          entitlement: known({ ...well.entitlement, workers: [part("entitlement:relay", "confirmation: nobody answers")] }),
          notification: lost("502"),
        },
        counts: { outbox: known(rows()), notifications: lost("502") },
      },
    },
    "failed",
    "Notification does not answer: events wait in the stream, nothing is lost",
    ["Affected: relay"],
  ],
  [
    "the gateway does not respond either",
    { overview: { health: { entitlement: lost("unreachable", true), notification: lost("unreachable", true) } } },
    "failed",
    "The gateway is unreachable: this page is out of date",
  ],
  ["rows failed", { outbox: rows({ FAILED: 82 }) }, "failed", "82 failed: needs attention"],
  ["messages could not be read", { unreadable: 2 }, "failed", "2 messages could not be read: needs attention"],
  ["one message could not be read", { unreadable: 1 }, "failed", "1 message could not be read: needs attention"],
  [
    "every type of failure is reported",
    { deliveries: rows({ FAILED: 1 }), unreadable: 3, invariants: [invariant("broken"), invariant("ok")] },
    "failed",
    "1 failed: needs attention",
    ["3 messages could not be read: needs attention", "1 invariant is broken: needs attention"],
  ],
  ["an invariant is watched only", { invariants: [invariant("watch")] }, "done", "All systems are healthy"],
  [
    "the outbox cannot be counted, although its system is healthy",
    { overview: { counts: { outbox: lost("it took too long"), notifications: known(rows()) } } },
    "failed",
    "Outbox cannot be counted: it took too long",
  ],
  ["unreadable messages are not counted", { overview: { unreadable: lost("no") } }, "failed", "Unreadable messages cannot be counted: no"],
  ["rows are retried", { outbox: rows({ PENDING: 5 }, { retrying: { count: 5, more: false } }) }, "retry", "5 are being retried"],
  [
    "rows are retried for a long time",
    { deliveries: rows({ PENDING: 1 }, { retrying: { count: 1, more: false }, oldest_pending_at: ago(200) }) },
    "retry",
    "1 is being retried, the oldest has waited for 3 m 20 s",
  ],
  [
    "a row waits for a long time",
    { outbox: rows({ PENDING: 1 }, { oldest_pending_at: ago(200) }) },
    "retry",
    "The oldest has waited for 3 m 20 s",
  ],
  ["a row waits for a short time", { outbox: rows({ PENDING: 1 }, { oldest_pending_at: ago(20) }) }, "done", "All systems are healthy"],
  [
    "a consumer is far behind",
    { notification: { consumers: [lag(1204), lag(0, "matchmaking")] } },
    "retry",
    "1,204 events of entitlement wait in the stream",
  ],
  [
    "another consumer falls further behind",
    { notification: { consumers: [lag(0), lag(1204, "matchmaking")] }, overview: { growingLags: ["matchmaking"] } },
    "retry",
    "1,204 events of matchmaking wait in the stream, and growing",
  ],
  [
    "both consumers are far behind",
    { notification: { consumers: [lag(1204), lag(5000, "matchmaking")] }, overview: { growingLags: ["entitlement"] } },
    "retry",
    "1,204 events of entitlement wait in the stream, and growing",
    ["5,000 events of matchmaking wait in the stream"],
  ],
  ["nobody has matched yet", { notification: { consumers: [lag(0), unread("no_stream")] } }, "done", "All systems are healthy"],
  [
    "the state of a part is unknown",
    { entitlement: { breakers: [part("publish", null, "unknown")] } },
    "pending",
    "Unknown: publish of entitlement",
  ],
  [
    "a consumer lag is unknown",
    { notification: { consumers: [lag(0), unread("no_consumer")] } },
    "pending",
    "Unknown: consumer lag of matchmaking",
  ],
  [
    "no process runs a role",
    {
      entitlement: {
        workers: [part("entitlement:relay", "no process runs it"), part("entitlement:janitor")],
      },
      outbox: rows({ PENDING: 3 }),
    },
    "failed",
    "The relay of entitlement does not run: grants continue, 3 events wait",
  ],
  [
    "a worker does not report",
    {
      entitlement: {
        workers: [part("entitlement:relay", "no report for 40 s, the last from entitlement:relay@a/1/b2: it does not run, or …")],
      },
      outbox: rows({ PENDING: 3 }),
    },
    "failed",
    "The relay of entitlement does not report",
  ],
  [
    "a worker in another process is not known yet",
    { entitlement: { workers: [part("entitlement:relay", null, "unknown"), part("entitlement:janitor")] } },
    "pending",
    "Unknown: relay of entitlement",
  ],
  [
    "the store with the reports of the workers is away: they are not named a second time",
    {
      entitlement: {
        dependencies: [part("database", "does not answer"), part("broker")],
        workers: [part("entitlement:relay", null, "unknown")],
      },
    },
    "failed",
    "PostgreSQL of entitlement is unreachable: grants are refused; accepted grants are kept",
  ],
  [
    "an alert wakes somebody, and nothing else is wrong",
    { monitoring: { ...calm, alerts: [alert("page"), alert("page", "pending")] } },
    "failed",
    "An alert fires: It is down",
  ],
  [
    "a cause explains the alerts: it comes first",
    {
      entitlement: { dependencies: [part("database"), part("broker", "NATS is not connected")] },
      monitoring: { ...calm, alerts: [alert("page"), alert("page"), alert("ticket")] },
    },
    "failed",
    "NATS is unreachable: grants continue, events wait",
    ["2 alerts fire: It is down", "A ticket alert fires: It is down"],
  ],
  ["a ticket alert fires", { monitoring: { ...calm, alerts: [alert("ticket")] } }, "retry", "A ticket alert fires: It is down"],
  [
    "an objective is missed, and its cause has gone",
    {
      monitoring: {
        ...calm,
        objectives: [objective(-3)],
      },
    },
    "done",
    "All systems are healthy",
    ["No error budget is left: Grants answered"],
  ],
  ["an alert is pending", { monitoring: { ...calm, alerts: [alert("page", "pending")] } }, "done", "All systems are healthy"],
  ["no Prometheus is set", { monitoring: { ...calm, state: "off" } }, "done", "All systems are healthy"],
  [
    "Prometheus is away: nobody knows whether an alert fires",
    { monitoring: { ...calm, state: "away", detail: "it does not answer" } },
    "pending",
    "Unknown: error budgets and alerts. Prometheus cannot be read: it does not answer",
  ],
  [
    "Prometheus is stale: the alerts that fired last still count",
    { monitoring: { ...calm, state: "stale", alerts: [alert("page")] } },
    "failed",
    "An alert fires: It is down",
    ["Unknown: error budgets and alerts. Prometheus has stopped evaluating rules of Kenri"],
  ],
  [
    "Prometheus has only the objectives: no alert can fire",
    { monitoring: { ...calm, state: "no_rules", objectives: [objective(0.9)] } },
    "pending",
    "Unknown: alerts. Prometheus has no alert rules of Kenri, so no alert can fire",
  ],
  [
    "Prometheus cannot evaluate rules: their alerts do not fire",
    { monitoring: { ...calm, failing_rules: ["KenriOutboxOld", "a", "b", "c"] } },
    "pending",
    "Alerts may be missing: Prometheus cannot evaluate KenriOutboxOld, a, b, …",
  ],
  [
    "the gateway cannot read it",
    { overview: { monitoring: { data: undefined, error: "refused", at: 0 } } },
    "pending",
    "Error budgets and alerts cannot be read: refused",
  ],
  ["a query has not finished yet", { overview: { unreadable: asked } }, "pending", "Loading …"],
  ["the gateway has not answered yet", { overview: { gateway: asked } }, "pending", "Loading …"],
  [
    "the invariants are not checked yet",
    { overview: { consistency: { entitlement: known({ invariants: [] }), notification: asked } } },
    "pending",
    "Loading …",
  ],
  [
    "the health of the gateway cannot be read",
    { overview: { gateway: lost("it took too long") } },
    "failed",
    "The health of the gateway cannot be read: it took too long",
  ],
  [
    "the gateway is unreachable: it is said once",
    {
      overview: {
        gateway: lost("unreachable", true),
        health: { entitlement: lost("unreachable", true), notification: lost("unreachable", true) },
      },
    },
    "failed",
    "The gateway is unreachable: this page is out of date",
  ],
  [
    "invariants are refreshed less often than the rest, so their age is not the age of the page",
    { overview: { consistency: { notification: known({ invariants: [invariant("ok")] }, now - 59_000) } } },
    "done",
    "All systems are healthy",
  ],
  [
    "a known failure is reported before all queries finish",
    { outbox: rows({ FAILED: 1 }), overview: { unreadable: asked } },
    "failed",
    "1 failed: needs attention",
  ],
  [
    "the data is old because refreshing is off",
    { overview: { every: 0, unreadable: known({ count: 0, more: false }, now - 130_000) } },
    "pending",
    "All systems are healthy (as of 2 m 10 s ago)",
    ["Refreshing is off"],
  ],
  [
    "the data is older than the refresh interval",
    { outbox: rows({ FAILED: 2 }), overview: { every: 5000, unreadable: known({ count: 0, more: false }, now - 16_000) } },
    "failed",
    "2 failed: needs attention (as of 16 s ago)",
    ["This page is not being refreshed"],
  ],
  [
    "a slow refresh interval does not make the data old",
    { overview: { every: 60_000, unreadable: known({ count: 0, more: false }, now - 100_000) } },
    "done",
    "All systems are healthy",
  ],
];

test.each(cases)("%s", (_, given, tone, text, others = []) => {
  const headline = headlineOf(sightOf(given));
  expect([headline.tone, headline.text, headline.others.map(one => one.text)]).toEqual([tone, text, others]);
});

test("two failures never hide each other: the headline does not say healthy", () => {
  const notWell = cases.filter(([, , tone]) => tone !== "done");
  for (const [what, one] of notWell)
    for (const [also, other] of notWell) {
      const { tone } = headlineOf(sightOf({ ...one, ...other }));
      expect({ what, also, tone }).not.toEqual({ what, also, tone: "done" });
    }
});

test("a headline links to the page where the failure is handled", () => {
  expect(headlineOf(sightOf({ matchmaking: {}, queue: { unpublished: 1, oldest_unpublished_seconds: 90 } })).to).toBe("/matchmaking");
  const stuckRelay = { workers: [part("matchmaking:relay", "stuck: nothing was done for 10 intervals; restarted")] };
  expect(headlineOf(sightOf({ matchmaking: stuckRelay, queue: { unpublished: 1 } })).to).toBe("/matchmaking");
  expect(headlineOf(sightOf({ matchmaking: stuckRelay })).to).toBeUndefined();
  expect(headlineOf(sightOf({ unreadable: 1 })).to).toBe("/failures/unreadable");
  expect(headlineOf(sightOf({ ...noBroker, outbox: rows({ FAILED: 1 }) })).to).toBe("/failures");
  expect(headlineOf(sightOf({ invariants: [invariant("broken")] })).to).toBe("/consistency");
  const retrying = rows({ PENDING: 7 }, { retrying: { count: 7, more: false } });
  expect([headlineOf(sightOf({ outbox: retrying })).to, headlineOf(sightOf({ deliveries: retrying })).to]).toEqual([
    "/outbox",
    "/notifications",
  ]);
  expect(headlineOf(sightOf({ deliveries: rows({ PENDING: 1 }, { oldest_pending_at: ago(200) }) })).to).toBe("/notifications");
});
