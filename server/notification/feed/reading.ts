import type { NotificationSql } from "../sql.gen.ts";

const batch = 1000;

/** Marks these as read; says how many were not before. */
export const markRead = async (sql: NotificationSql, user_id: string, notification_id: readonly string[]): Promise<number> =>
  (await sql.feed.read({ user_id, notification_id })).length;

/** Marks everything up to a position as read, in batches: however much it is, no statement takes long. */
export async function markReadUpTo(sql: NotificationSql, user_id: string, up_to: number, after_position = 0): Promise<number> {
  const rows = await sql.feed.read_up_to({ user_id, after_position, up_to, limit: batch });
  if (rows.length < batch) return rows.length;
  const reached = Math.max(...rows.map(row => row.position));
  return rows.length + (await markReadUpTo(sql, user_id, up_to, reached));
}
