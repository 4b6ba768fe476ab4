import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../stack/checkout.ts";
import { alerts, promtool, type RuleCase, ruleFiles, testRules } from "./rule_cases.ts";

interface AlertCase {
  readonly series: Readonly<Record<string, string>>;
  /** Other values, for the time at which it is silent. */
  readonly quiet?: Readonly<Record<string, string>>;
  /** A time at which it must not fire, although it would if the limit were lower or the time shorter. */
  readonly silent: string;
  readonly fires: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The role whose pause keeps it silent. */
  readonly pausedBy?: string;
}

const request = 'system="entitlement",method="POST",route="/v1/entitlements/grants",status=';
const grants = `kenri_http_request_seconds_count{${request}`;
const inTime = `kenri_http_request_seconds_bucket{le="0.25",${request}`;
/** 10,000 grants a minute, of which so many fail; the others are fast. */
const errors = (failed: number) => ({
  [`${grants}"200"}`]: `0+${10_000 - failed}x100`,
  [`${inTime}"200"}`]: `0+${10_000 - failed}x100`,
  [`${grants}"503"}`]: `0+${failed}x100`,
});

/** Values are one a minute. */
const cases: Readonly<Record<string, AlertCase>> = {
  KenriErrorBudgetBurnsFast: {
    quiet: errors(70),
    series: errors(200),
    silent: "90m",
    fires: "90m",
    labels: { slo: "grants" },
    summary: "grants: 2 % of the error budget of 28 days were used in the last hour (2% errors).",
  },
  KenriErrorBudgetBurns: {
    quiet: errors(29),
    series: errors(40),
    silent: "90m",
    fires: "90m",
    labels: { slo: "grants" },
    summary: "grants: 5 % of the error budget of 28 days were used in the last six hours (0.4% errors).",
  },
  KenriErrorBudgetBurnsSlowly: {
    quiet: errors(4),
    series: errors(6),
    silent: "90m",
    fires: "90m",
    labels: { slo: "grants" },
    summary: "grants: the error budget of 28 days will be used up before its time (0.06% errors).",
  },
  KenriProcessDown: {
    series: { 'up{job="kenri",system="orders",instance="orders:8090"}': "1x3 0x9" },
    silent: "4m",
    fires: "6m",
    labels: { job: "kenri", system: "orders", instance: "orders:8090" },
    summary: "orders at orders:8090 does not serve its metrics.",
  },
  KenriNotScraped: {
    series: { 'up{job="other"}': "1x20" },
    silent: "4m",
    fires: "6m",
    labels: { job: "kenri" },
    summary: "Prometheus scrapes no process of Kenri, so no other alert can fire.",
  },
  KenriPartInTrouble: {
    series: { 'kenri_health_trouble{system="entitlement",role="entitlement:relay",part="broker",instance="a"}': "0x3 1x9" },
    silent: "5m",
    fires: "7m",
    labels: { system: "entitlement", part: "broker" },
    summary: "entitlement: broker has a trouble. The overview says which, and what it means.",
  },
  KenriNotReady: {
    series: {
      'kenri_ready{system="account",role="account:api",instance="a"}': "1x3 0x9",
      'kenri_ready{system="account",role="account:api",instance="b"}': "1x12",
    },
    silent: "4m",
    fires: "6m",
    labels: { system: "account", role: "account:api" },
    summary: "account:api is not ready: its own store does not answer, or it waits for its start. GET /readyz says why.",
  },
  KenriProcessRestarts: {
    series: { 'kenri_start_time_seconds{system="orders",role="orders:sender"}': "1 2 3 4 5 6x20" },
    silent: "3m",
    fires: "5m",
    labels: { system: "orders", role: "orders:sender" },
    summary: "orders:sender was started again more than three times in 15 minutes.",
  },
  KenriWorkerInTrouble: {
    quiet: {
      'kenri_health_trouble{system="entitlement",role="entitlement:api",part="entitlement:relay"}': "1x12",
      'kenri_health_trouble{system="entitlement",role="entitlement:relay",part="broker"}': "1x12",
    },
    series: {
      'kenri_health_trouble{system="entitlement",role="entitlement:api",part="entitlement:relay"}': "0x3 1x9",
      'kenri_health_trouble{system="gateway",role="gateway:api",part="redis"}': "1x12",
    },
    silent: "10m",
    fires: "7m",
    labels: { system: "entitlement", part: "entitlement:relay" },
    summary: "The worker entitlement:relay does not work, and no store explains it.",
  },
  KenriWorkerStuck: {
    series: { 'kenri_worker_stuck_total{system="orders",role="orders:sender"}': "_x5 1x30" },
    silent: "4m",
    fires: "8m",
    labels: { system: "orders", role: "orders:sender" },
    summary: "orders:sender had due work, did nothing, and was started again.",
  },
  KenriWorkerRestarts: {
    series: { 'kenri_worker_restarts_total{system="orders",role="orders:sender"}': "_x5 1 2 3 4x30" },
    silent: "7m",
    fires: "12m",
    labels: { system: "orders", role: "orders:sender" },
    summary: "orders:sender ended unasked more than three times in ten minutes.",
  },
  KenriPaused: {
    series: {
      'kenri_paused{system="orders",role="orders:sender",instance="api"}': "0x3 1x90",
      'kenri_paused{system="orders",role="orders:sender",instance="sender"}': "0x4 1x20 _x5 1x90",
      'kenri_paused{system="entitlement",role="entitlement:relay"}': "0x90",
    },
    silent: "60m",
    fires: "66m",
    labels: { system: "orders", role: "orders:sender" },
    summary: "orders:sender has been paused for more than an hour. Resume it, or it was forgotten.",
  },
  KenriPoolFull: {
    quiet: { 'kenri_pool_waiting{system="orders",pool="orders:api intake"}': "5 0 5 0 5 0 5 0 5 0 5 0 5" },
    series: { 'kenri_pool_waiting{system="entitlement",pool="entitlement:api"}': "0x3 4x12" },
    silent: "6m",
    fires: "10m",
    labels: { system: "entitlement", pool: "entitlement:api" },
    summary: "entitlement:api: statements have waited for a connection for minutes.",
  },
  KenriThreadBlocked: {
    series: { 'kenri_event_loop_lag_seconds{system="gateway",thread="gateway:api"}': "0x3 2x9" },
    silent: "5m",
    fires: "7m",
    labels: { system: "gateway", thread: "gateway:api" },
    summary: "gateway:api: timers fire 2s late; the machine is too small or the thread is blocked.",
  },
  KenriRefusedByNats: {
    series: { 'kenri_nats_refused_total{system="notification",cause="credentials"}': "_x5 3x30" },
    silent: "4m",
    fires: "7m",
    labels: { system: "notification" },
    summary: "NATS refuses connections or subjects of notification: check its user and its permissions.",
  },
  KenriOutboxOld: {
    series: {
      'kenri_outbox_oldest_pending_seconds{instance="a"}': "299x3 330x9",
      'kenri_outbox_oldest_pending_seconds{instance="b"}': "10x12",
    },
    silent: "4m",
    fires: "6m",
    summary: "The oldest event has waited 5m 30s for its publication.",
    pausedBy: "entitlement:relay",
  },
  KenriErasureWaits: {
    series: { kenri_erasure_oldest_seconds: "86100+60x30" },
    silent: "9m",
    fires: "12m",
    summary: "The erasure of a user is not done after 1d 0h 7m 0s.",
  },
  KenriOutboxFailed: {
    series: { 'kenri_outbox_depth{state="failed"}': "0x3 2x9", 'kenri_outbox_depth{state="pending"}': "50x12" },
    silent: "4m",
    fires: "6m",
    summary: "2 events are FAILED: needs attention.",
  },
  KenriOutboxUnconfirmed: {
    series: { 'kenri_outbox_depth{state="unconfirmed"}': "8x40", kenri_outbox_confirmed_total: "0+10x9 90x40" },
    silent: "20m",
    fires: "26m",
    summary: "8 published events, and notification has confirmed none for ten minutes.",
    pausedBy: "notification:consumer",
  },
  KenriNotificationLacksEvents: {
    series: { 'kenri_outbox_confirmed_missing{instance="a"}': "0x3 500x9", 'kenri_outbox_confirmed_missing{instance="b"}': "0x12" },
    silent: "4m",
    fires: "6m",
    summary: "Notification no longer holds 500 events that it had confirmed: its database was restored to an earlier state.",
  },
  KenriStreamLostMessages: {
    series: { kenri_outbox_stream_losses_total: "0x5 1x30" },
    silent: "5m",
    fires: "8m",
    summary: "The stream lost messages. They are published again by themselves.",
  },
  KenriConsumerLags: {
    series: {
      'kenri_consumer_messages{consumer="notification-entitlement-consumer",state="pending"}': "0x3 2000x20",
      'kenri_consumer_messages{consumer="notification-entitlement-consumer",state="unacknowledged"}': "3000x20",
    },
    silent: "8m",
    fires: "10m",
    labels: { consumer: "notification-entitlement-consumer" },
    summary: "notification-entitlement-consumer has 2k messages left.",
    pausedBy: "notification:consumer",
  },
  KenriNotificationsOld: {
    series: { kenri_notifications_oldest_pending_seconds: "299x3 315x9" },
    silent: "4m",
    fires: "6m",
    summary: "The oldest notification has waited 5m 15s to be sent.",
    pausedBy: "notification:sender",
  },
  KenriNotificationsFailed: {
    series: { 'kenri_notifications_depth{state="dead"}': "0x3 4x9" },
    silent: "4m",
    fires: "6m",
    summary: "4 notifications are in the dead-letter queue: needs attention.",
  },
  KenriMessagesUnreadable: {
    series: { 'kenri_notifications_depth{state="raw_dead"}': "0x3 1x9" },
    silent: "4m",
    fires: "6m",
    summary: "Messages that could not be read: 1.",
  },
  KenriOrdersUnknown: {
    series: { kenri_orders_unknown_outcomes: "0x3 3x9" },
    silent: "8m",
    fires: "10m",
    summary: "3 orders may have been executed, and the broker has not said so.",
  },
  KenriOrdersOld: {
    series: { kenri_orders_oldest_open_seconds: "399x3 420x9" },
    silent: "4m",
    fires: "6m",
    summary: "The oldest order has waited 7m 0s for its outcome.",
    pausedBy: "orders:sender",
  },
  KenriOrdersAborted: {
    series: {
      'kenri_outbox_aborted_total{code="BROKER_UNAVAILABLE"}': "_x5 3x30",
      'kenri_outbox_aborted_total{code="CANCELLED"}': "0+5x35",
    },
    silent: "4m",
    fires: "10m",
    labels: { code: "BROKER_UNAVAILABLE" },
    summary: "3 orders were aborted with BROKER_UNAVAILABLE.",
  },
  KenriBrokerAway: {
    series: { kenri_orders_circuit_open: "0x3 1x9" },
    silent: "5m",
    fires: "7m",
    summary: "The broker of orders does not answer as it should. Orders are accepted and wait.",
  },
  KenriServiceAway: {
    quiet: {
      'kenri_gateway_circuit_open{service="account",instance="a"}': "1x12",
      'kenri_gateway_call_seconds_count{service="account"}': "5x12",
    },
    series: {
      'kenri_gateway_circuit_open{service="account",instance="a"}': "0x3 1x9",
      'kenri_gateway_call_seconds_count{service="account"}': "0+5x12",
    },
    silent: "4m",
    fires: "6m",
    labels: { service: "account" },
    summary: "account does not answer the gateway; its calls are refused.",
  },
  KenriSessionsForged: {
    series: { 'kenri_gateway_store_refused_total{kept="session",fault="unsigned"}': "_x5 1x30" },
    silent: "4m",
    fires: "7m",
    summary: "Redis has sessions or tokens that no gateway signed.",
  },
  KenriMatchesNotPublished: {
    series: { 'kenri_match_relay_lag_seconds{mode="rank"}': "29x3 45x9" },
    silent: "4m",
    fires: "6m",
    labels: { mode: "rank" },
    summary: "rank: the oldest match has waited 45s for its publication.",
    pausedBy: "matchmaking:relay",
  },
  KenriMatchesNotAnnounced: {
    series: { 'kenri_match_oldest_unannounced_seconds{mode="rank"}': "59x3 90x9" },
    silent: "5m",
    fires: "7m",
    labels: { mode: "rank" },
    summary: "rank: the oldest published match is not announced after 1m 30s.",
    pausedBy: "notification:consumer",
  },
  KenriTicketsInvalid: {
    series: { 'kenri_matchmaking_invalid_total{mode="rank"}': "_x5 2x30" },
    silent: "4m",
    fires: "10m",
    labels: { mode: "rank" },
    summary: "rank: 2 tickets became invalid; their players have to join again.",
  },
};

const pauseOf = (role: string, values: string) => ({ [`kenri_paused{role="${role}"}`]: values });

/** With a pause of its role it is silent, and for ten minutes after; the pause of another role does not matter. */
function pauseCases(name: string, { series, fires, labels = {}, summary, pausedBy }: AlertCase): RuleCase[] {
  if (!pausedBy) return [];
  const ended = `1x${Number.parseInt(fires, 10) - 5} 0x60`;
  return [
    { series: { ...series, ...pauseOf(pausedBy, "1x60") }, alerts: [{ name, at: fires }] },
    { series: { ...series, ...pauseOf(pausedBy, ended) }, alerts: [{ name, at: fires }] },
    {
      series: { ...series, ...pauseOf(pausedBy, "0x60"), ...pauseOf("entitlement:other", "1x60") },
      alerts: [{ name, at: fires, fires: { labels, summary } }],
    },
  ];
}

const ruleCases = ([name, alert]: [string, AlertCase]): RuleCase[] => {
  const { series, quiet, silent, fires, labels = {}, summary } = alert;
  return [
    { series: quiet ?? series, alerts: [{ name, at: silent }] },
    { series, alerts: [{ name, at: fires, fires: { labels, summary } }] },
    ...pauseCases(name, alert),
  ];
};

test("every alert fires when it must and is silent when it must, with the words that a person reads", () =>
  testRules(Object.entries(cases).flatMap(ruleCases)));

test("every alert has a case", () => expect(Object.keys(cases).sort()).toEqual(alerts.map(({ alert }) => alert!).sort()));

test("the rules are valid", async () => expect(await promtool("check", "rules", ...ruleFiles)).toMatchObject({ code: 0 }));

const read = (file: string) => readFileSync(join(checkout, file), "utf8");
const anchors = [...read("docs/runbook.md").matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
  heading!
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-"),
);

describe.each(alerts.map(rule => [rule.alert!, rule] as const))("%s", (name, { labels, annotations }) => {
  test("has a severity and a summary", () => {
    expect(["page", "ticket"]).toContain(labels!.severity!);
    expect(annotations!.summary).toMatch(/\.$/);
  });
  test("names its section of the runbook, and the section names it", () => {
    const [file, anchor] = annotations!.runbook.split("#");
    expect(file).toBe("docs/runbook.md");
    expect(anchors).toContain(anchor!);
    expect(read("docs/runbook.md")).toContain(`\`${name}\``);
  });
  test("names a page of the console", () => {
    const pages = [
      "",
      ...[...read("admin-ui/src/router.tsx").matchAll(/path: "\/?([\w-]+)"/g)].map(([, path]) => path!),
      "outbox",
      "notifications",
      "orders",
    ];
    expect(pages).toContain(annotations!.page.replace(/^\/admin\//, ""));
  });
});
