import type { Dashboard } from "./dashboard.ts";
import { queriesOf } from "./queries.ts";

const { rate, share, max, sum, quantile } = queriesOf();

/** Whether users get what they were promised, and where work waits. */
export const overview: Dashboard = {
  uid: "kenri-overview",
  title: "Kenri: overview",
  rows: [
    {
      title: "Objectives",
      panels: [
        {
          title: "Error budget of 28 days that remains, by objective",
          unit: "percentunit",
          shows: "numbers",
          width: 24,
          // Its rule runs every 5 minutes, which is as far as Prometheus looks back for a value.
          queries: [{ expr: "max by (slo) (last_over_time(kenri:slo:budget_remaining[15m]))", legend: "{{slo}}" }],
        },
        { title: "Share of bad units, last 5 minutes", unit: "percentunit", queries: [max("kenri:sli_error:ratio5m", { by: ["slo"] })] },
        { title: "Share of bad units, last hour", unit: "percentunit", queries: [max("kenri:sli_error:ratio1h", { by: ["slo"] })] },
        {
          title: "Alerts that fire",
          unit: "short",
          shows: "table",
          queries: [sum("ALERTS", { by: ["alertname", "severity", "slo", "system"], where: 'alertstate="firing"' })],
        },
      ],
    },
    {
      title: "Work",
      panels: [
        { title: "HTTP requests, by system", unit: "ops", queries: [rate("kenri_http_request_seconds_count", { by: ["system"] })] },
        {
          title: "Share of HTTP requests with status 5xx, by system",
          unit: "percentunit",
          queries: [share("kenri_http_request_seconds_count", { by: ["system"], where: 'status=~"5.."' })],
        },
        {
          title: "Time from a change or a match to each step, 95 %",
          unit: "s",
          queries: [quantile(0.95, "kenri_event_step_seconds", { by: ["step"] })],
        },
        {
          title: "Changes, events and notifications",
          unit: "ops",
          queries: [
            rate("kenri_changes_total", { as: "changes asked for" }),
            rate("kenri_event_step_seconds_count", { where: 'step="published"', as: "events published" }),
            rate("kenri_intake_events_total", { as: "messages consumed" }),
            rate("kenri_notifications_total", { where: 'outcome="sent"', as: "notifications sent" }),
          ],
        },
        {
          title: "Orders",
          unit: "ops",
          queries: [
            rate("kenri_outbox_enqueued_total", { as: "accepted" }),
            rate("kenri_outbox_sent_total", { as: "sent" }),
            rate("kenri_outbox_aborted_total", { as: "aborted" }),
          ],
        },
        {
          title: "Tickets and matches",
          unit: "ops",
          queries: [
            rate("kenri_matchmaking_joins_total", { as: "requests to join" }),
            rate("kenri_matchmaking_matches_total", { as: "matches made" }),
            rate("kenri_match_announced_total", { as: "matches announced" }),
          ],
        },
      ],
    },
    {
      title: "What waits",
      panels: [
        {
          title: "Age of the oldest",
          unit: "s",
          queries: [
            max("kenri_outbox_oldest_pending_seconds", { as: "event to publish" }),
            max("kenri_notifications_oldest_pending_seconds", { as: "notification to send" }),
            max("kenri_orders_oldest_open_seconds", { as: "order without outcome" }),
            max("kenri_match_relay_lag_seconds", { as: "match to publish" }),
            max("kenri_match_oldest_unannounced_seconds", { as: "match to announce" }),
          ],
        },
        {
          title: "FAILED, dead letters and unknown outcomes",
          unit: "short",
          queries: [
            max("kenri_outbox_depth", { where: 'state="failed"', as: "events FAILED" }),
            max("kenri_notifications_depth", { where: 'state="dead"', as: "notifications in the DLQ" }),
            max("kenri_notifications_depth", { where: 'state="raw_dead"', as: "unreadable messages" }),
            max("kenri_orders_unknown_outcomes", { as: "orders with unknown outcome" }),
          ],
        },
        {
          title: "Rows that wait",
          unit: "short",
          queries: [
            max("kenri_outbox_depth", { where: 'state="pending"', as: "events" }),
            max("kenri_notifications_depth", { where: 'state="pending"', as: "notifications" }),
            max("kenri_orders_depth", { where: 'state="pending"', as: "orders" }),
            max("kenri_consumer_messages", { by: ["consumer"], where: 'state="pending"' }),
          ],
        },
      ],
    },
    {
      title: "Processes",
      panels: [
        {
          title: "Processes that answer the scrape, by system",
          unit: "short",
          queries: [sum("up", { by: ["system"], where: 'job="kenri"' })],
        },
        { title: "Parts in trouble (1)", unit: "short", queries: [max("kenri_health_trouble", { by: ["system", "part"] })] },
        {
          title: "Processes by version of Kenri and Bun",
          unit: "short",
          shows: "table",
          queries: [sum("kenri_build_info", { by: ["system", "version", "bun"] })],
        },
      ],
    },
  ],
};
