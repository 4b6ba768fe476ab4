import type { Row } from "../dashboard.ts";
import { queriesOf } from "../queries.ts";

const { rate, max, quantile } = queriesOf("entitlement");

export const entitlementRows: readonly Row[] = [
  {
    title: "Changes",
    panels: [
      { title: "Changes asked for, by outcome", unit: "ops", queries: [rate("kenri_changes_total", { by: ["outcome"] })] },
      {
        title: "Duration of a batch of changes",
        unit: "s",
        queries: [
          quantile(0.5, "kenri_change_batch_seconds", { as: "50 %" }),
          quantile(0.99, "kenri_change_batch_seconds", { as: "99 %" }),
        ],
      },
      { title: "Replays that were not stored", unit: "ops", queries: [rate("kenri_replays_uncounted_total")] },
    ],
  },
  {
    title: "Outbox",
    panels: [
      {
        title: "Events of the outbox, by outcome of their claim",
        unit: "ops",
        queries: [rate("kenri_outbox_events_total", { by: ["outcome"] })],
      },
      { title: "Events, by state", unit: "short", queries: [max("kenri_outbox_depth", { by: ["state"] })] },
      { title: "Confirmed events that notification lacks", unit: "short", queries: [max("kenri_outbox_confirmed_missing")] },
      { title: "Age of the oldest event to publish", unit: "s", queries: [max("kenri_outbox_oldest_pending_seconds")] },
      {
        title: "Time from a change to each step, 95 %",
        unit: "s",
        queries: [quantile(0.95, "kenri_event_step_seconds", { by: ["step"] })],
      },
      {
        title: "Events confirmed by notification, and sent again",
        unit: "ops",
        queries: [
          rate("kenri_outbox_confirmed_total", { as: "confirmed" }),
          rate("kenri_outbox_missing_resent_total", { as: "sent again: notification lacked it" }),
          rate("kenri_outbox_lost_resent_total", { as: "requeued: the stream lost it" }),
        ],
      },
      {
        title: "Lost leases, losses of the stream, refused answers",
        unit: "ops",
        queries: [
          rate("kenri_outbox_reclaimed_total", { as: "events reclaimed" }),
          rate("kenri_outbox_fenced_total", { as: "late results" }),
          rate("kenri_outbox_stream_losses_total", { as: "losses of the stream" }),
          rate("kenri_outbox_answers_refused_total", { by: ["reason"], as: "answer refused:" }),
        ],
      },
    ],
  },
];
