import { type LeasedWorker, leasedWorker } from "../../kernel/delivery/leased_worker.ts";
import { countWork, type LivenessOptions } from "../../kernel/delivery/liveness.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import type { NotificationSettings } from "../config.ts";
import type { NotificationSql, NotificationsClaimRow } from "../sql.gen.ts";
import type { SendClaim } from "./send_claim.ts";

export interface SenderOptions {
  readonly context: RoleContext;
  readonly tuning: NotificationSettings["sender"];
  readonly notifications: NotificationSql["notifications"];
  readonly deliver: SendClaim;
  readonly isPaused: () => boolean;
  readonly liveness: Pick<LivenessOptions, "every" | "looks">;
}

/** Sends the notifications that are due. */
export function sender({ context, tuning, notifications, deliver, isPaused, liveness }: SenderOptions): LeasedWorker {
  const { metrics } = context;
  return leasedWorker<{ notification_id: string }, NotificationsClaimRow, "pending" | "processing" | "dead" | "raw_dead">({
    name: "notification",
    laneName: "notification.sender",
    context,
    tuning,
    table: notifications,
    idOf: row => row.notification_id,
    ids: "notification_ids",
    claimWith: async () => notifications.claim,
    isPaused,
    deliver,
    reclaimed: metrics.counter("notifications_reclaimed_total", "Notifications taken back from a worker whose lease ran out."),
    depth: {
      gauge: metrics.gauge("notifications_depth", "Notifications and dead letters by state, counted up to 10,001.", ["state"]),
      oldest: metrics.gauge(
        "notifications_oldest_pending_seconds",
        "Age of the oldest notification that is not sent, since it was created.",
      ),
      states: ["pending", "processing", "dead", "raw_dead"],
      read: async from => (await notifications.depth(from))[0],
    },
    work: countWork(),
    liveness: { ...liveness, answers: async () => {} }, // it needs only the database, which has just answered
  });
}
