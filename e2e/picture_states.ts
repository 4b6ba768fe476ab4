import type { Page } from "@playwright/test";
import { type Chain, type Databases, putChains } from "./chains.ts";

type Part = [name: string, detail: string | null];
interface Told {
  readonly outbox?: Record<string, number>;
  readonly notifications?: Record<string, number>;
  readonly retrying?: number;
  readonly unreadable?: number;
  readonly entitlement?: { dependencies?: Part[]; breakers?: Part[]; workers?: Part[] };
  readonly notification?: { dependencies?: Part[]; workers?: Part[] };
}

const away = "NATS is not connected";
const full = "JetStream does not store: error opening msg block file (10077)";

/** Responses of the servers, by the state that the overview shows. */
export const states: Record<string, Told> = {
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
  retrying: { notifications: { PENDING: 7 }, retrying: 7 },
};

const parts = (known: readonly string[], told: readonly Part[] = []) =>
  known.map(name => {
    const detail = told.find(([part]) => part === name)?.[1] ?? null;
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

/** Fakes the responses of the servers until the returned function is called. */
export async function pretend(page: Page, told: Told): Promise<() => Promise<void>> {
  const { entitlement, notification } = told;
  const answers: Record<string, unknown> = {
    "entitlement/outbox/counts": counts(told.outbox),
    "notification/notifications/counts": counts(told.notifications, told.retrying),
    "notification/raw-dead-letters/counts": { open: { count: told.unreadable ?? 0, more: false } },
    "entitlement/consistency": { invariants: [] },
    "notification/consistency": { invariants: [] },
    "entitlement/health": {
      dependencies: parts(["database", "broker"], entitlement?.dependencies),
      breakers: parts(["publish"], entitlement?.breakers),
      workers: parts(["entitlement:relay", "entitlement:janitor"], entitlement?.workers),
      consumer: null,
    },
    "notification/health": {
      dependencies: parts(["database", "broker"], notification?.dependencies),
      breakers: [],
      workers: parts(["notification:consumer", "notification:sender", "notification:janitor"], notification?.workers),
      consumer: notification?.dependencies ? null : { pending: 2, ack_pending: 1, redelivered: 0 },
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
      const told = known.map(([step, ms]) => {
        const p99_ms = step !== "changed" && index === 22 ? 252_000 : ms * wave * 3;
        return [step, { count: Math.round(40 * wave), p50_ms: ms ? ms * wave : null, p99_ms: ms ? p99_ms : null }];
      });
      return { ...minute, ...Object.fromEntries(told) };
    });
    await route.fulfill({ json: { ...series, minutes } });
  });

/** Events at every place where one can be; answers their ids by name. */
export async function putJourneys(databases: Databases): Promise<Record<string, string>> {
  const at = Date.now() - 600_000;
  const error = "push gateway answered 503 Service Unavailable: upstream connect error";
  const tries = (...outcomes: ("sent" | "retry" | "dead")[]) =>
    outcomes.map((outcome, index) => ({
      after: 9 + index * 2000,
      took: 40,
      outcome,
      ...(outcome === "sent" ? {} : { error }),
    }));
  const published: Chain["outbox"] = { status: "PUBLISHED", attempts: 0, took: 60 };
  const cases: Record<string, Pick<Chain, "outbox" | "delivery">> = {
    delivered: { outbox: published, delivery: { status: "SENT", tries: tries("sent") } },
    retrying: { outbox: published, delivery: { status: "PENDING", tries: tries("retry", "retry") } },
    "failed in the outbox": {
      outbox: { status: "FAILED", attempts: 10, error: "JetStream: message size exceeds maximum allowed (10054)" },
    },
    "retrying in the outbox": { outbox: { status: "PENDING", attempts: 3, error: "no response from stream leader" } },
    dead: { outbox: published, delivery: { status: "FAILED", tries: tries("retry", "dead") } },
    requeued: { outbox: published, delivery: { status: "SENT", tries: tries("retry", "dead", "sent") } },
    stale: { outbox: published, delivery: { status: "SENT", tries: tries("sent") } },
    unconfirmed: { outbox: published, delivery: { status: "SENT", tries: tries("sent") } },
    audit: { outbox: published },
    unreadable: { outbox: published },
  };
  const names = Object.keys(cases);
  const run = Date.now();
  const ids = await putChains(
    databases,
    names.map((name, index) => ({
      at: at + index * 1000,
      user: `${name.replaceAll(" ", "-")}.${run}`,
      sku: "season-pass-2026",
      version: 1,
      reason: "PURCHASE",
      purchase: `order-${name}-${run}`,
      client: "shop",
      key: `order-${name}-${run}`,
      ...cases[name]!,
    })),
  );
  const idOf = (name: string) => ids[names.indexOf(name)]!;
  const { entitlement, notification } = databases;
  const requeued = idOf("requeued").notificationId!;
  await notification`insert into notification_dlq (notification_id, event_id, user_id, reason, attempts, payload, failed_at, requeued_at, requeued_by)
    select notification_id, event_id, user_id, ${error}, 2, payload, created_at + interval '2060 ms', created_at + interval '3500 ms', 'user:otto' from notifications where notification_id = ${requeued}`;
  await notification`insert into operator_actions (at, actor, action, subject, reason)
    select created_at + interval '3500 ms', 'shop-robot', 'notification.requeue', notification_id::text, 'The gateway is well again, INC-2231' from notifications where notification_id = ${requeued}`;
  await notification`update notifications set stale = true where notification_id = ${idOf("stale").notificationId!}`;
  await notification`update processed_events set stale = true where event_id = ${idOf("stale").eventId}`;
  await notification`insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, event_id, reason)
    values ('KENRI_EVENTS', ${run}, 'kenri.entitlement.granted', '{}', '\\xff', ${idOf("unreadable").eventId}, 'not an EntitlementEvent: invalid wire type 7')`;
  await entitlement`update outbox_events set confirmed_at = null where event_id in ${entitlement([idOf("unconfirmed").eventId, idOf("unreadable").eventId])}`;
  // Publishing is noted a little after the consumer has it.
  await entitlement`update outbox_events set published_at = published_at + interval '45 ms' where event_id = ${idOf("delivered").eventId}`;
  await entitlement`delete from outbox_events where event_id = ${idOf("audit").eventId}`;
  return Object.fromEntries(names.map(name => [name, idOf(name).eventId]));
}
