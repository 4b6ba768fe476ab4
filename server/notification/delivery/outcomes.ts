import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { NotificationsClaimRow } from "../sql.gen.ts";

/** Counts what became of notifications. */
export function notificationOutcomes(metrics: Metrics) {
  const outcomes = metrics.counter("notifications_total", "Notifications, once for each attempt or release, by what became of it.", [
    "outcome",
  ]);
  // Rates see only what comes after the first value: so the first failure counts, too.
  for (const outcome of ["sent", "failed"]) outcomes.inc({ outcome }, 0);
  return outcomes;
}

/** The attributes of the span of a send. */
export const sendAttributes = ({ notification_id, event_id, channel, attempt_count }: NotificationsClaimRow) => ({
  "kenri.notification_id": notification_id,
  "kenri.event_id": event_id,
  "kenri.channel": channel,
  "kenri.attempt": attempt_count + 1,
});
