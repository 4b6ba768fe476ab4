import type { ActionRequest, Requeued } from "../../kernel/operator/row_actions.ts";
import type { NotificationSql } from "../sql.gen.ts";

/** Requeues a FAILED notification once, audited. A second request for a requeued notification gets the same answer. */
export async function requeueNotification(sql: NotificationSql, { id, actor, reason }: ActionRequest): Promise<Requeued> {
  const [requeued] = await sql.notifications.requeue({ notification_id: [id], actor, reason });
  if (requeued) return { outcome: "requeued" };
  const [notification] = await sql.notifications.find({ id });
  if (!notification) return { outcome: "unknown" };
  return notification.requeued_at === null ? { outcome: "not_failed", status: notification.status } : { outcome: "requeued" };
}
