import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { freshDatabase, type TestDatabase } from "../../testing/databases.ts";
import { outboxEvents } from "../../testing/entitlement_rows.ts";
import { deadLetters, deliveryAttempts, notifications } from "../../testing/notification_rows.ts";
import { migrate, readMigrations } from "../postgres/migrations.ts";

const cases = `(values ('failed', 'FAILED', 10, 'e', 50), ('retrying', 'PENDING', 4, 'e', 20),
  ('fresh', 'PENDING', 0, null, 30), ('done', 'PUBLISHED', 1, null, 30)) v(name, status, attempts, error, due)`;
const rows = {
  user_id: "name",
  status: "status",
  attempt_count: "attempts",
  last_error: "error",
  next_retry_at: "now() - make_interval(mins => due)",
  created_at: "now() - interval '3 hours'",
};

const systems = [
  {
    system: "entitlement",
    table: "outbox_events",
    first: "entitlement/0012_failed_at.sql",
    put: outboxEvents.text(rows, cases),
    also: [] as string[],
  },
  {
    system: "notification",
    table: "notifications",
    first: "notification/0010_failed_at.sql",
    put: notifications.text({ ...rows, status: "case status when 'PUBLISHED' then 'SENT' else status end" }, cases),
    also: [
      deadLetters.text({ failed_at: "now() - interval '50 minutes'" }, "notifications where status = 'FAILED'"),
      deliveryAttempts.text(
        { number: "n", started_at: "now() - make_interval(mins => 25 - n)", duration_ms: 60_000, error: "'e'" },
        "notifications, generate_series(1, 4) n where user_id = 'retrying'",
      ),
    ],
  },
];

describe.each(systems)("$system", ({ system, table, first, put, also }) => {
  const migrations = readMigrations(system);
  let database: TestDatabase;
  let owner: postgres.Sql;
  beforeAll(async () => {
    database = await freshDatabase(system, undefined, false);
    owner = postgres(database.ownerUrl, { max: 1, onnotice: () => {} });
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });
  const minutesOf = async (name: string): Promise<number | null> => {
    const [row] = await owner.unsafe(
      `select round(extract(epoch from now() - failed_at) / 60)::int as minutes from ${table} where aggregate_key = $1`,
      [`${name}:item`],
    );
    return row!.minutes;
  };

  test("rows that failed before the column existed get an approximate time of failure, and others get none", async () => {
    const run = (some: typeof migrations) => migrate({ system, ownerUrl: database.ownerUrl, migrations: some });
    const at = migrations.findIndex(({ name }) => name === first);
    expect(at).toBeGreaterThan(0);
    await run(migrations.slice(0, at));
    for (const statement of [put, ...also]) await owner.unsafe(statement);
    await run(migrations);
    expect(await minutesOf("failed")).toBe(50);
    expect(await minutesOf("retrying")).toBe(system === "entitlement" ? 22 : 20);
    expect([await minutesOf("fresh"), await minutesOf("done")]).toEqual([null, null]);
  });

  test("every failed attempt stores its time, whichever statement writes it, and a requeue keeps it", async () => {
    const change = (to: string) => owner.unsafe(`update ${table} set ${to} where aggregate_key = 'fresh:item'`);
    await change("status = 'PENDING', attempt_count = 1, last_error = 'e'");
    expect(await minutesOf("fresh")).toBe(0);
    await change("failed_at = now() - interval '1 hour'");
    await change("next_retry_at = now()");
    expect(await minutesOf("fresh")).toBe(60);
    await change("status = 'FAILED', attempt_count = 2");
    expect(await minutesOf("fresh")).toBe(0);
    await change("failed_at = now() - interval '1 hour'");
    await change("status = 'PENDING', attempt_count = 0");
    expect(await minutesOf("fresh")).toBe(60);
  });
});
