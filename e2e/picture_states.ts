import type { Page } from "@playwright/test";

type Part = [name: string, detail: string | null];
interface SystemState {
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

/** Fakes the responses of the servers until the returned function is called. */
export async function fakeResponses(page: Page, state: SystemState): Promise<() => Promise<void>> {
  const { entitlement, notification } = state;
  const answers: Record<string, unknown> = {
    "entitlement/outbox/counts": counts(state.outbox),
    "notification/notifications/counts": counts(state.notifications, state.retrying),
    "notification/raw-dead-letters/counts": { open: { count: state.unreadable ?? 0, more: false } },
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
      const values = known.map(([step, ms]) => {
        const p99_ms = step !== "changed" && index === 22 ? 252_000 : ms * wave * 3;
        return [step, { count: Math.round(40 * wave), p50_ms: ms ? ms * wave : null, p99_ms: ms ? p99_ms : null }];
      });
      return { ...minute, ...Object.fromEntries(values) };
    });
    await route.fulfill({ json: { ...series, minutes } });
  });
