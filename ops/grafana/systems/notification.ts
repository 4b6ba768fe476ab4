import type { Row } from "../dashboard.ts";
import { queriesOf } from "../queries.ts";

const { rate, max, quantile } = queriesOf("notification");

export const notificationRows: readonly Row[] = [
  {
    title: "Intake",
    panels: [
      {
        title: "Messages consumed, by source and outcome",
        unit: "ops",
        queries: [rate("kenri_intake_events_total", { by: ["source", "outcome"] })],
      },
      {
        title: "Messages that consumers have left",
        unit: "short",
        queries: [max("kenri_consumer_messages", { by: ["consumer", "state"] })],
      },
      {
        title: "Messages refused, and gaps",
        unit: "ops",
        queries: [
          rate("kenri_intake_refused_total", { by: ["source", "reason"], as: "refused:" }),
          rate("kenri_intake_gaps_total", { as: "consumed without the predecessor" }),
        ],
      },
    ],
  },
  {
    title: "Delivery",
    panels: [
      { title: "Notifications, by outcome", unit: "ops", queries: [rate("kenri_notifications_total", { by: ["outcome"] })] },
      { title: "Notifications and dead letters, by state", unit: "short", queries: [max("kenri_notifications_depth", { by: ["state"] })] },
      { title: "Age of the oldest notification to send", unit: "s", queries: [max("kenri_notifications_oldest_pending_seconds")] },
      {
        title: "Time from a change or a match to each step, 95 %",
        unit: "s",
        queries: [quantile(0.95, "kenri_event_step_seconds", { by: ["step"] })],
      },
      { title: "Hints that a feed has grown, by outcome", unit: "ops", queries: [rate("kenri_inbox_hints_total", { by: ["outcome"] })] },
      {
        title: "Lost leases",
        unit: "ops",
        queries: [
          rate("kenri_notifications_reclaimed_total", { as: "notifications reclaimed" }),
          rate("kenri_notifications_fenced_total", { as: "late results" }),
        ],
      },
    ],
  },
];
