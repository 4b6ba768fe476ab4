import type postgres from "postgres";
import { audits, entitlements, idempotencyKeys, outboxEvents } from "../server/testing/entitlement_rows.ts";
import { notifications } from "../server/testing/notification_rows.ts";
import { quoted } from "../server/testing/rows.ts";

/** Marks the rows of one fill, so that a second one makes other aggregates. */
const tagged = "(select substr(md5(random()::text), 1, 8) as tag) t";

/** Fills the outbox with events, each of its own aggregate and with its own due time, as the change statement writes them. */
export async function fillOutbox(
  sql: postgres.Sql,
  count: number,
  status: "PENDING" | "PUBLISHED",
  due = "clock_timestamp() - interval '1 minute'",
): Promise<void> {
  const confirmed = status === "PUBLISHED" ? { confirmed_at: "now()" } : {};
  await sql.unsafe(
    outboxEvents.text(
      { user_id: "'bench-' || tag || '-' || n", status: quoted(status), next_retry_at: due, ...confirmed },
      `generate_series(1, ${count}) n, ${tagged}`,
    ),
  );
}

/** Fills the inbox with sent notifications of a thousand users. */
export async function fillInbox(sql: postgres.Sql, count: number): Promise<void> {
  const sent = notifications.text(
    {
      user_id: "user_id",
      stock_keeping_unit: "'item-' || n",
      payload: "jsonb_build_object('user_id', user_id, 'version', 1)",
      status: "'SENT'",
      position: "coalesce(p.position, 0) + row_number() over (partition by user_id order by n)",
    },
    `(select n, 'user-' || (n % 1000) as user_id from generate_series(1, ${count}) n) one left join inbox_positions p using (user_id)`,
  );
  await sql.unsafe(`
    with sent as (${sent} returning user_id, position)
    insert into inbox_positions select user_id, max(position) from sent group by user_id on conflict (user_id) do update set position = excluded.position`);
}

/** Fills the entitlements, request keys and audit of this number of users. */
export async function fillEntitlements(sql: postgres.Sql, count: number): Promise<void> {
  await sql.unsafe(`
    with n as (select n, 'bulk-' || tag || '-' || n as user_id from generate_series(1, ${count}) n, ${tagged}),
    owned as (${entitlements.text({ user_id: "user_id" }, "n")}),
    keyed as (${idempotencyKeys.text({ client_id: "'bulk'", idem_key: "user_id" }, "n")})
    ${audits.text({ user_id: "user_id", client_id: "'bulk'" }, "n")}`);
}

/** Versions of a few pairs that are changed in turn. */
const hot = { user_id: "'hot-' || p", aggregate_version: "n", created_at: "at" };
const inTurn = (pairs: number, each: number) =>
  `generate_series(1, ${each}) n, generate_series(1, ${pairs}) p, lateral (select now() - interval '1 hour' + n * interval '10 ms' + p * interval '1 ms') t(at) order by at`;

/** Fills the outbox with versions of a few pairs. */
export async function fillHotOutbox(sql: postgres.Sql, pairs: number, each: number): Promise<void> {
  await sql.unsafe(outboxEvents.text(hot, inTurn(pairs, each)));
}

/** The same in the inbox, not sent yet. */
export async function fillHotInbox(sql: postgres.Sql, pairs: number, each: number): Promise<void> {
  await sql.unsafe(
    notifications.text({ ...hot, payload: "jsonb_build_object('user_id', 'hot-' || p, 'version', n)" }, inTurn(pairs, each)),
  );
}
