import type { Stage } from "./stage.ts";

/** A failure mode of docs/failure-modes.md that one machine can make. */
export interface Drill {
  readonly what: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Called once. */
  cause(stage: Stage): Promise<void> | void;
  /** Called about once a second until the end: what users do meanwhile. */
  traffic?(stage: Stage): Promise<unknown>;
  /** The query that shows the failure, while its value is above 0. */
  readonly moves: string;
  /** The alert, with the labels that it must have. */
  readonly alert: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** What the runbook says. */
  repair(stage: Stage): Promise<void> | void;
}

let number = 0;
const grant = (stage: Stage, user = `drill-${++number}`) =>
  stage.post("ENTITLEMENT", "/v1/entitlements/grants", { user_id: user, stock_keeping_unit: "sword", reason: "drill", purchase_id: user });
const order = (stage: Stage) => stage.post("ORDERS", "/do/order", { symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" });

export const drills: Readonly<Record<string, Drill>> = {
  "nats-away": {
    what: "NATS hangs; grants go on and events wait",
    cause: stage => stage.suspend("nats"),
    traffic: grant,
    moves: "max(kenri_outbox_oldest_pending_seconds) > 10",
    alert: "KenriOutboxOld",
    repair: stage => stage.resume("nats"),
  },
  "postgres-hangs": {
    what: "PostgreSQL hangs; requests are refused with 503",
    cause: stage => stage.suspend("postgres"),
    traffic: grant,
    moves: 'sum(rate(kenri_http_request_seconds_count{system="entitlement",status="503"}[1m]))',
    alert: "KenriErrorBudgetBurnsFast",
    labels: { slo: "grants" },
    repair: stage => stage.resume("postgres"),
  },
  "redis-away": {
    what: "Redis hangs; nobody signs in or joins a queue",
    cause: stage => stage.suspend("redis"),
    moves: 'max(kenri_health_trouble{part="redis"})',
    alert: "KenriPartInTrouble",
    labels: { part: "redis", system: "matchmaking" },
    repair: stage => stage.resume("redis"),
  },
  "broker-away": {
    what: "the broker of orders hangs; orders are accepted and wait",
    cause: stage => stage.suspend("broker"),
    traffic: order,
    moves: "max(kenri_orders_circuit_open)",
    alert: "KenriBrokerAway",
    repair: stage => stage.resume("broker"),
  },
  "process-down": {
    what: "the process of all systems hangs",
    cause: stage => stage.suspend("kenri"),
    moves: 'count(up{job="kenri"} == 0)',
    alert: "KenriProcessDown",
    labels: { system: "entitlement" },
    repair: stage => stage.resume("kenri"),
  },
  "notification-dead": {
    what: "a channel refuses a user until its attempts are used up; the row is requeued after the repair",
    settings: { NOTIFICATION_MAX_ATTEMPTS: "2" },
    async cause(stage) {
      await stage.put("NOTIFICATION", "/debug/faults", { user_prefix: "unlucky" });
      await grant(stage, "unlucky-1");
    },
    moves: 'max(kenri_notifications_depth{state="dead"})',
    alert: "KenriNotificationsFailed",
    async repair(stage) {
      await stage.put("NOTIFICATION", "/debug/faults", { user_prefix: "" });
      const { notifications } = (await stage.get("NOTIFICATION", "/ops/notifications?user_id=unlucky-1&status=FAILED")) as {
        notifications: { notification_id: string }[];
      };
      for (const { notification_id } of notifications)
        await stage.post("NOTIFICATION", `/ops/notifications/${notification_id}/requeue`, { reason: "drill: the channel is repaired" });
    },
  },
};
