import type postgres from "postgres";

const columns = "event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel";
const values = `gen_random_uuid(), u, 'EntitlementGranted', u || ':' || gen_random_uuid(), 1, false, jsonb_build_object('n', n), '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'log'`;

/** Notifications that wait for a sender: so many for each user, user by user in turn, each an aggregate of its own; all due as soon as they are seen. */
export const putWaiting = (sql: postgres.Sql, users: readonly string[], count: number) =>
  sql.unsafe(
    `insert into notifications (${columns}, next_retry_at) select ${values}, now() - interval '1 second' from generate_series(1, $2::int) n, unnest($1::text[]) u`,
    [users as string[], count],
  );

/** Notifications that were delivered to a user already, with the next positions of the feed. */
export const putDelivered = (sql: postgres.Sql, user: string, count: number) =>
  sql.unsafe(
    `with counted as (
       insert into inbox_positions as p values ($1::text, $2::int) on conflict (user_id) do update set position = p.position + excluded.position
       returning new.user_id as u, coalesce(old.position, 0) as before)
     insert into notifications (${columns}, status, sent_at, position)
     select ${values}, 'SENT', clock_timestamp(), before + n from counted, generate_series(1, $2::int) n`,
    [user, count],
  );
