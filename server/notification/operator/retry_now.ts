import type { NotificationSql } from "../sql.gen.ts";

export type Retried =
  | { readonly outcome: "retried"; readonly next_retry_at: string; readonly attempt_count: number }
  | { readonly outcome: "not_waiting"; readonly status: string }
  | { readonly outcome: "unknown" };

/** Makes a waiting notification due at once, audited. Its attempts go on counting. */
export async function retryNotification(
  sql: NotificationSql,
  { notification_id, actor, reason }: { notification_id: string; actor: string; reason: string },
): Promise<Retried> {
  const [retried] = await sql.notifications.retry_now({ notification_id, actor, reason });
  if (retried) return { outcome: "retried", next_retry_at: retried.next_retry_at, attempt_count: retried.attempt_count };
  const [notification] = await sql.notifications.find({ notification_id });
  return notification ? { outcome: "not_waiting", status: notification.status } : { outcome: "unknown" };
}
