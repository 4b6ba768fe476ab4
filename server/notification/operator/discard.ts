import type { NotificationSql } from "../sql.gen.ts";

export type Discarded =
  | { readonly outcome: "discarded" }
  | { readonly outcome: "not_failed"; readonly status: string }
  | { readonly outcome: "unknown" };

/**
 * Deletes a FAILED notification with its attempts and its dead letter; the audit keeps what it was. Asking again for one that is gone already
 * gives the same answer.
 */
export async function discardNotification(
  sql: NotificationSql,
  { notification_id, actor, reason }: { notification_id: string; actor: string; reason: string },
): Promise<Discarded> {
  const [gone] = await sql.notifications.discard({ notification_id, actor, reason });
  if (gone) return { outcome: "discarded" };
  const [notification] = await sql.notifications.find({ notification_id });
  if (notification) return { outcome: "not_failed", status: notification.status };
  const [before] = await sql.operator_actions.latest({ subject: notification_id.toLowerCase(), action: "notification.discard" });
  return { outcome: before ? "discarded" : "unknown" };
}

/** Deletes a raw dead letter; the audit keeps what it was. Asking again for one that is gone already gives the same answer. */
export async function discardRaw(
  sql: NotificationSql,
  { id, actor, reason }: { id: string; actor: string; reason: string },
): Promise<{ readonly outcome: "discarded" | "taken_in" | "unknown" }> {
  const [gone] = await sql.raw_dead_letters.discard({ id, actor, reason });
  if (gone) return { outcome: "discarded" };
  const [letter] = await sql.raw_dead_letters.find({ id });
  if (letter) return { outcome: "taken_in" };
  const [before] = await sql.operator_actions.latest({ subject: id.toLowerCase(), action: "raw_dead_letter.discard" });
  return { outcome: before ? "discarded" : "unknown" };
}
