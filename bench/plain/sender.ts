import type postgres from "postgres";
import { statement } from "./statements.ts";

const batch = 50;
const worker = `sender-${process.pid}`;
const claimNotifications = statement<{ notification_id: string }>("claim_notifications");
const finalizeNotification = statement("finalize_notification");

/** Claims a batch, then settles each notification. Sending is storing: nothing leaves the system in the first documents. */
export async function sendOnce(sql: postgres.Sql): Promise<number> {
  const claimed = await claimNotifications(sql, batch, worker);
  await Promise.all(claimed.map(({ notification_id }) => finalizeNotification(sql, notification_id, worker)));
  return claimed.length;
}
