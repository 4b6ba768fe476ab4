import type postgres from "postgres";
import { notifications } from "./notification_rows.ts";
import { quoted } from "./rows.ts";

/** Each is an aggregate of its own. */
const each = { user_id: "u", aggregate_key: "u || ':' || gen_random_uuid()", payload: "jsonb_build_object('n', n)" };

/** Notifications that wait for a sender: `count` for each user, user by user in turn, all due before now. */
export const putWaiting = (sql: postgres.Sql, users: readonly string[], count: number) =>
  notifications.put(
    sql,
    { ...each, next_retry_at: "now() - interval '1 second'" },
    `generate_series(1, ${count}) n, unnest(array[${users.map(quoted).join(", ")}]::text[]) u`,
  );

/** Notifications that were delivered to a user already, with the next positions of the feed. */
export const putDelivered = (sql: postgres.Sql, user: string, count: number) =>
  sql.unsafe(
    `with counted as (
       insert into inbox_positions as p values (${quoted(user)}, ${count}) on conflict (user_id) do update set position = p.position + excluded.position
       returning new.user_id as u, coalesce(old.position, 0) as before)
     ${notifications.text({ ...each, status: "'SENT'", sent_at: "clock_timestamp()", position: "before + n" }, `counted, generate_series(1, ${count}) n`)}`,
  );
