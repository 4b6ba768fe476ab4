import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { EntitlementSql } from "../../entitlement/sql.gen.ts";
import type { NotificationSql } from "../../notification/sql.gen.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { outboxEvents } from "../../testing/entitlement_rows.ts";
import { notifications } from "../../testing/notification_rows.ts";
import { quoted, type RowFactory } from "../../testing/rows.ts";
import { connect, type Sql } from "../postgres/database.ts";
import { bindStatements, readStatements } from "../postgres/statements.ts";
import { createMetrics } from "../telemetry/metrics.ts";

interface Kind {
  readonly system: "entitlement" | "notification";
  readonly table: string;
  readonly id: string;
  readonly held: string;
  readonly done: string;
  readonly factory: RowFactory<"stock_keeping_unit" | "status" | "created_at" | "next_retry_at" | "lease_until">;
}

const kinds: Kind[] = [
  {
    system: "entitlement",
    table: "outbox_events",
    id: "event_id",
    held: "IN_FLIGHT",
    done: "PUBLISHED",
    factory: outboxEvents,
  },
  {
    system: "notification",
    table: "notifications",
    id: "notification_id",
    held: "PROCESSING",
    done: "FAILED",
    factory: notifications,
  },
];

describe.each(kinds)("$table", ({ system, table, id, held, done, factory }) => {
  let database: TestDatabase;
  let pool: Sql;
  let rows: {
    depth(from: object): Promise<{ oldest_pending_seconds: number }[]>;
    oldest_pending(): Promise<{ oldest_pending_at: string | null }[]>;
    reclaim(parameters: { limit: number; from: string }): Promise<object[]>;
  };
  beforeAll(async () => {
    database = await testDatabase(system);
    pool = connect({ url: database.appUrl, name: "test", max: 2, statementTimeout: 5000 });
    const sql = bindStatements<EntitlementSql & NotificationSql>(pool, readStatements([system]), createMetrics(), 5000);
    rows = system === "entitlement" ? (sql.outbox as never) : (sql.notifications as never);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.unsafe(`delete from ${table}`);
  });

  /** Rows of an aggregate each, so many seconds old, due in so many. */
  const put = (age: number, due: number, { status = "PENDING", count = 1 } = {}) =>
    factory.put(
      pool,
      {
        stock_keeping_unit: "gen_random_uuid()::text",
        status: quoted(status),
        created_at: `now() - interval '1 second' * ${age}`,
        next_retry_at: `now() + interval '1 second' * ${due}`,
        ...(status === held ? { lease_until: "now() + interval '10 seconds'" } : {}),
      },
      `generate_series(1, ${count})`,
    );

  /** The age of the oldest open row in whole seconds, as the gauge and as the console have it. */
  async function oldest(): Promise<readonly [number, number | null]> {
    const [depth] = await rows.depth({ due_from: "-infinity", lease_from: "-infinity", published_from: "-infinity" });
    const at = (await rows.oldest_pending())[0]!.oldest_pending_at;
    return [Math.round(depth!.oldest_pending_seconds), at === null ? null : Math.round((Date.now() - Date.parse(at)) / 1000)];
  }

  test("nothing open has no age, whatever is done or failed", async () => {
    await put(500, -500, { status: done });
    expect(await oldest()).toEqual([0, null]);
  });

  test("one that waits for its retry is as old as it is, and so is one that was never tried", async () => {
    await put(100, -100);
    expect(await oldest()).toEqual([100, 100]);
    await put(300, 60);
    expect(await oldest()).toEqual([300, 300]);
  });

  test("one under way counts, at its first attempt and at a later one", async () => {
    await put(200, -200, { status: held });
    expect(await oldest()).toEqual([200, 200]);
    await put(400, -20, { status: held });
    expect(await oldest()).toEqual([400, 400]);
  });

  test("one that was put back behind a large backlog is found", async () => {
    await put(100, -100, { count: 2000 });
    await put(600, -1);
    expect(await oldest()).toEqual([600, 600]);
  });

  test("when the lease of an old one has run out and it is put back, it is as old as before", async () => {
    await put(250, -250, { status: held });
    await pool.unsafe(`update ${table} set lease_until = now() - interval '1 second'`);
    expect(await rows.reclaim({ limit: 10, from: "-infinity" })).toHaveLength(1);
    expect(await oldest()).toEqual([250, 250]);
    expect((await pool.unsafe(`select ${id} from ${table} where status = 'PENDING'`)).length).toBe(1);
  });
});
