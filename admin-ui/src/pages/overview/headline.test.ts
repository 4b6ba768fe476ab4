import { expect, test } from "bun:test";
import type { Counts, HealthPart, Invariant, SystemHealth } from "../../api/client.ts";
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
const lag = (pending: number) => ({ pending, ack_pending: 0, redelivered: 0 });
const well: Record<"entitlement" | "notification", SystemHealth> = {
  entitlement: {
    dependencies: [part("database"), part("broker")],
    workers: [part("entitlement:relay"), part("entitlement:janitor")],
    breakers: [part("publish")],
    consumer: null,
  },
  notification: {
    dependencies: [part("database"), part("broker")],
    workers: [part("notification:consumer"), part("notification:sender"), part("notification:janitor")],
    breakers: [],
    consumer: lag(3),
  },
};
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
  readonly invariants?: readonly Invariant[];
  readonly gateway?: readonly HealthPart[];
  readonly overview?: Partial<OverviewData>;
}

const sightOf = ({
  entitlement,
  notification,
  outbox,
  deliveries,
  unreadable = 0,
  invariants = [invariant("ok")],
  gateway = [part("redis"), part("broker")],
  overview,
}: Given): OverviewData => ({
  now,
  every: 5000,
  health: { entitlement: known({ ...well.entitlement, ...entitlement }), notification: known({ ...well.notification, ...notification }) },
  gateway: known({ dependencies: gateway, workers: [], breakers: [], consumer: null }),
  counts: { entitlement: known(outbox ?? rows()), notification: known(deliveries ?? rows()) },
  consistency: { entitlement: known({ invariants: [] }), notification: known({ invariants }) },
  unreadable: known({ count: unreadable, more: false }),
  isLagGrowing: false,
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
  },
  notification: {
    dependencies: [part("database"), part("broker", "does not answer")],
    workers: [part("notification:consumer", `broker: ${away}`), part("notification:sender", `broker: ${away}`)],
    consumer: null,
  },
};
const noDatabase = [part("database", "does not answer"), part("broker")];

type Case = [what: string, given: Given, tone: string, text: string, others?: string[]];
const cases: Case[] = [
  ["all is well", {}, "done", "Everything is healthy"],
  [
    "Redis holds what no gateway signed: it comes first, and what else is wrong is told too",
    { gateway: [part("redis"), part("redis_integrity", "Redis holds a session that no gateway signed")], outbox: rows({ FAILED: 2 }) },
    "failed",
    "Redis holds a session that no gateway signed",
    ["2 failed: needs attention"],
  ],
  [
    "NATS is away for the gateway too: the systems tell of it",
    { ...noBroker, gateway: [part("broker", away)], outbox: rows({ PENDING: 1 }) },
    "failed",
    "NATS is away: grants go on, 1 event waits",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "NATS is away: one cause, whatever else it troubles",
    { ...noBroker, outbox: rows({ PENDING: 26, IN_FLIGHT: 1 }) },
    "failed",
    "NATS is away: grants go on, 27 events wait",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "one event waits",
    { ...noBroker, outbox: rows({ PENDING: 1 }) },
    "failed",
    "NATS is away: grants go on, 1 event waits",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "nobody knows how many wait",
    { ...noBroker, overview: { counts: { entitlement: asked, notification: asked } } },
    "failed",
    "NATS is away: grants go on, events wait",
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "NATS is away and something failed before: both are said",
    { ...noBroker, outbox: rows({ PENDING: 2, FAILED: 80 }), deliveries: rows({ FAILED: 2 }) },
    "failed",
    "NATS is away: grants go on, 2 events wait. 82 failed: needs attention",
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
    `${refused}: grants go on, 2 events wait`,
    ["Affected: breaker of publish, relay, consumer, sender"],
  ],
  [
    "only notification has lost NATS",
    { notification: noBroker.notification },
    "failed",
    "NATS is away for notification: events wait in the stream, nothing is lost",
    ["Affected: consumer, sender"],
  ],
  [
    "the store of JetStream is broken",
    {
      entitlement: { breakers: [part("publish", broken)], workers: [part("entitlement:relay", `publish: ${broken}`)] },
      outbox: rows({ PENDING: 27 }),
    },
    "failed",
    `${broken}: grants go on, 27 events wait`,
    ["Affected: breaker of publish, relay"],
  ],
  [
    "JetStream lets every deadline pass",
    { entitlement: { breakers: [part("publish", "5 deadlines in a row passed without an answer")] } },
    "failed",
    "JetStream does not answer: grants go on, events wait",
    ["Affected: breaker of publish"],
  ],
  [
    "PostgreSQL of notification is away, so that it cannot be counted either",
    {
      notification: { dependencies: noDatabase },
      overview: {
        counts: { entitlement: known(rows()), notification: lost("the database is away") },
        unreadable: lost("the database is away"),
      },
    },
    "failed",
    "PostgreSQL of notification is away: events wait in the stream, nothing is lost",
  ],
  [
    "PostgreSQL of entitlement is away",
    { entitlement: { dependencies: noDatabase } },
    "failed",
    "PostgreSQL of entitlement is away: grants are refused, what was accepted is kept",
  ],
  [
    "PostgreSQL of both is away",
    { entitlement: { dependencies: noDatabase }, notification: { dependencies: noDatabase } },
    "failed",
    "PostgreSQL is away: grants are refused, events wait in the stream, nothing is lost",
  ],
  [
    "two things are wrong at once: the wider first, the other below",
    { entitlement: { dependencies: noDatabase }, notification: { ...noBroker.notification } },
    "failed",
    "PostgreSQL of entitlement is away: grants are refused, what was accepted is kept",
    ["NATS is away for notification: events wait in the stream, nothing is lost", "Affected: consumer, sender"],
  ],
  [
    "a worker ended",
    {
      entitlement: { workers: [part("entitlement:relay", "the worker ended unasked and is started again")] },
      outbox: rows({ PENDING: 4 }),
    },
    "failed",
    "The relay of entitlement ended and is restarted: grants go on, 4 events wait",
  ],
  [
    "a worker was stuck",
    { notification: { workers: [part("notification:consumer", "stuck: nothing was done for 10 intervals; restarted")] } },
    "failed",
    "The consumer of notification was stuck and is restarted: events wait in the stream, nothing is lost",
  ],
  [
    "a worker has a trouble that nobody foresaw",
    { notification: { workers: [part("notification:sender", "the disk is full")] }, deliveries: rows({ PENDING: 2 }) },
    "failed",
    "The sender of notification is in trouble (the disk is full): 2 notifications wait",
  ],
  [
    "nobody confirms",
    { entitlement: { workers: [part("entitlement:relay", "confirmation: nobody answers which events notification holds")] } },
    "failed",
    "Notification does not say which events it holds: published events are kept",
  ],
  [
    "somebody answers in notification's name",
    {
      entitlement: {
        workers: [
          part("entitlement:relay", "confirmation: 3 answers with a wrong signature refused in the last minute; published events are kept"),
        ],
      },
    },
    "failed",
    "Answers about consumed events have a wrong signature: somebody answers in notification's name, or EVENT_SIGNING_KEYS differ; published events are kept",
  ],
  [
    "notification does not answer, and so nobody confirms",
    {
      entitlement: { workers: [part("entitlement:relay", "confirmation: nobody answers which events notification holds")] },
      overview: {
        health: {
          entitlement: known({ ...well.entitlement, workers: [part("entitlement:relay", "confirmation: nobody answers")] }),
          notification: lost("502"),
        },
        counts: { entitlement: known(rows()), notification: lost("502") },
      },
    },
    "failed",
    "Notification does not answer: events wait in the stream, nothing is lost",
    ["Affected: relay"],
  ],
  [
    "not even the gateway answers",
    { overview: { health: { entitlement: lost("unreachable", true), notification: lost("unreachable", true) } } },
    "failed",
    "The gateway cannot be reached: nothing here is current",
  ],
  ["rows failed", { outbox: rows({ FAILED: 82 }) }, "failed", "82 failed: needs attention"],
  ["messages could not be read", { unreadable: 2 }, "failed", "2 messages could not be read: needs attention"],
  ["one message could not be read", { unreadable: 1 }, "failed", "1 message could not be read: needs attention"],
  [
    "everything that needs attention is told",
    { deliveries: rows({ FAILED: 1 }), unreadable: 3, invariants: [invariant("broken"), invariant("ok")] },
    "failed",
    "1 failed: needs attention",
    ["3 messages could not be read: needs attention", "1 invariant is broken: needs attention"],
  ],
  ["an invariant is watched only", { invariants: [invariant("watch")] }, "done", "Everything is healthy"],
  [
    "the outbox is not counted, although its system is well",
    { overview: { counts: { entitlement: lost("it took too long"), notification: known(rows()) } } },
    "failed",
    "The outbox cannot be counted: it took too long",
  ],
  ["unreadable messages are not counted", { overview: { unreadable: lost("no") } }, "failed", "Unreadable messages cannot be counted: no"],
  ["rows are retried", { outbox: rows({ PENDING: 5 }, { retrying: { count: 5, more: false } }) }, "retry", "5 are being retried"],
  [
    "rows are retried for long",
    { deliveries: rows({ PENDING: 1 }, { retrying: { count: 1, more: false }, oldest_pending_at: ago(200) }) },
    "retry",
    "1 is being retried, the oldest has waited for 3 m 20 s",
  ],
  [
    "a row waits for long",
    { outbox: rows({ PENDING: 1 }, { oldest_pending_at: ago(200) }) },
    "retry",
    "The oldest has waited for 3 m 20 s",
  ],
  ["a row waits for its turn", { outbox: rows({ PENDING: 1 }, { oldest_pending_at: ago(20) }) }, "done", "Everything is healthy"],
  ["the consumer is far behind", { notification: { consumer: lag(1204) } }, "retry", "1,204 events wait in the stream"],
  [
    "and further each moment",
    { notification: { consumer: lag(1204) }, overview: { isLagGrowing: true } },
    "retry",
    "1,204 events wait in the stream, and it grows",
  ],
  [
    "a part is not known",
    { entitlement: { breakers: [part("publish", null, "unknown")] } },
    "pending",
    "Not known: publish of entitlement",
  ],
  [
    "nobody says how far the consumer is",
    { notification: { consumer: null } },
    "pending",
    "Not known: how far notification is behind the stream",
  ],
  [
    "the workers run elsewhere: what they know is not missed",
    { entitlement: { workers: [], breakers: [part("publish", null, "unknown")] } },
    "done",
    "Everything is healthy",
    ["The workers of entitlement run in processes of their own, which are not seen from here"],
  ],
  ["not everything has answered yet", { overview: { unreadable: asked } }, "pending", "Looking …"],
  [
    "but what is known to have failed is said at once",
    { outbox: rows({ FAILED: 1 }), overview: { unreadable: asked } },
    "failed",
    "1 failed: needs attention",
  ],
  [
    "what is shown is old because nobody refreshes",
    { overview: { every: 0, unreadable: known({ count: 0, more: false }, now - 130_000) } },
    "pending",
    "Everything is healthy (as of 2 m 10 s ago)",
    ["Refreshing is switched off"],
  ],
  [
    "what is shown is older than its refresh",
    { outbox: rows({ FAILED: 2 }), overview: { every: 5000, unreadable: known({ count: 0, more: false }, now - 16_000) } },
    "failed",
    "2 failed: needs attention (as of 16 s ago)",
    ["This page is not refreshed now"],
  ],
  [
    "a slow refresh is not yet an old one",
    { overview: { every: 60_000, unreadable: known({ count: 0, more: false }, now - 100_000) } },
    "done",
    "Everything is healthy",
  ],
];

test.each(cases)("%s", (_, given, tone, text, others = []) => {
  const headline = headlineOf(sightOf(given));
  expect([headline.tone, headline.text, headline.others.map(one => one.text)]).toEqual([tone, text, others]);
});

test("no two things that are wrong hide each other: nothing says healthy", () => {
  const notWell = cases.filter(([, , tone]) => tone !== "done");
  for (const [what, one] of notWell)
    for (const [also, other] of notWell) {
      const { tone } = headlineOf(sightOf({ ...one, ...other }));
      expect({ what, also, tone }).not.toEqual({ what, also, tone: "done" });
    }
});

test("a headline leads to where it is put right", () => {
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
