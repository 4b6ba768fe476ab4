import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { deadLetters, deliveryAttempts, notifications, processedEvents } from "../testing/notification_rows.ts";
import { quoted } from "../testing/rows.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri({
    CLEANUP_EVERY: "100ms",
    NOTIFICATION_RETENTION: "1h",
    PROCESSED_EVENTS_RETENTION: "2h",
    PROCESSED_MESSAGES_KEEP: "3h",
    FLOW_RETENTION: "4h",
  });
});
afterAll(() => kenri.close());

const notify = (user: string, status: string, age: string) => {
  const at = `now() - ${quoted(age)}::interval`;
  return kenri.notificationSql.unsafe(`
    with one as (${notifications.text({ user_id: quoted(user), status: quoted(status), created_at: at })} returning *),
      tried as (${deliveryAttempts.text({}, "one")})
    ${deadLetters.text({ reason: "'r'" }, "one where status <> 'PENDING'")}`);
};

test("sent notifications are deleted after their retention with all that belongs to them; waiting and failed ones stay, however old", async () => {
  const sql = kenri.notificationSql;
  await notify("sent-old", "SENT", "2 hours");
  await notify("sent-young", "SENT", "30 minutes");
  for (const status of ["PENDING", "PROCESSING", "FAILED"]) await notify(`${status}-old`, status, "5 years");
  const processed = { aggregate_version: "n", stream_seq: "n", processed_at: "now() - make_interval(hours => n)" };
  await processedEvents.put(sql, processed, "generate_series(1, 3) n");
  await sql`insert into processed_messages (idempotency_key, message_id, message_type, status, started_at, expires_at)
    select 'k' || n, 'm', 't', 'completed', now(), now() - make_interval(hours => n) from generate_series(1, 5) n`;
  await sql`insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, reason, received_at) values ('s', 1, 's', '{}', '\\x00', 'r', now() - interval '5 years')`;
  await sql`insert into announced_joins select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now() - make_interval(mins => n), '{}', gen_random_uuid()
    from unnest(array[1, 119, 121, 200]) n`;
  await sql`insert into flow_minutes (minute, step, count)
    select date_trunc('minute', now()) - make_interval(hours => n), 'sent', n from generate_series(1, 6) n`;

  const janitor = await kenri.start("notification:janitor");
  const kept = async () => ({
    users: (await sql`select user_id from notifications`).map(row => row.user_id).toSorted(),
    attempts: (await sql`select from delivery_attempts`).length,
    letters: (await sql`select from notification_dlq`).length,
    events: (await sql`select aggregate_version from processed_events order by 1`).map(row => row.aggregate_version),
    messages: (await sql`select idempotency_key from processed_messages order by 1`).map(row => row.idempotency_key),
    raw: (await sql`select from notification_nats_dlq`).length,
    announced: (await sql`select from announced_joins`).length,
    flow: (await sql`select count from flow_minutes order by 1`).map(row => row.count),
  });
  const wanted = {
    users: ["FAILED-old", "PENDING-old", "PROCESSING-old", "sent-young"],
    attempts: 4,
    letters: 3,
    events: [1],
    messages: ["k1", "k2"],
    raw: 1,
    announced: 2,
    flow: [1, 2, 3],
  };
  await until("what is old is gone", 10_000, async () => Bun.deepEquals(await kept(), wanted)).catch(() => {});
  expect(await kept()).toEqual(wanted);
  expect(await janitor.stop()).toBe(0);
});
