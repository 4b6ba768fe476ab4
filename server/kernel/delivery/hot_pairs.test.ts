import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { outboxEvents } from "../../testing/entitlement_rows.ts";
import { notifications } from "../../testing/notification_rows.ts";
import { connect, type Sql } from "../postgres/database.ts";
import { bindStatements, readStatements } from "../postgres/statements.ts";
import { createMetrics } from "../telemetry/metrics.ts";

type Row = { readonly aggregate_key: string; readonly aggregate_version: number };
interface Statements {
  claim(parameters: object): Promise<Row[]>;
  head(parameters: object): Promise<{ bound: string }[]>;
}

const kinds = [
  {
    system: "entitlement",
    table: "outbox_events",
    folder: "outbox",
    done: "status = 'PUBLISHED', published_at = now()",
    factory: outboxEvents,
  },
  {
    system: "notification",
    table: "notifications",
    folder: "notifications",
    done: "status = 'SENT', sent_at = now(), position = aggregate_version",
    factory: notifications,
  },
];
const pairs = 2;
const each = 1500;

describe.each(kinds)("$table of a few busy pairs", ({ system, table, folder, done, factory }) => {
  let database: TestDatabase;
  let pool: Sql; // one connection: its counters are flushed when it is told to
  let other: Sql;
  let sql: Statements;
  beforeAll(async () => {
    database = await testDatabase(system);
    pool = connect({ url: database.appUrl, name: "test", max: 1, statementTimeout: 30_000 });
    other = connect({ url: database.appUrl, name: "long transaction", max: 1, statementTimeout: 30_000 });
    sql = bindStatements<Record<string, Statements>>(pool, readStatements([system]), createMetrics(), 30_000)[folder]!;
    await pool.unsafe(
      factory.text(
        { user_id: "'pair-' || p", aggregate_version: "n", created_at: "at" },
        `generate_series(1, ${each}) n, generate_series(1, ${pairs}) p, lateral (select now() - interval '1 hour' + n * interval '1 second') t(at)`,
      ),
    );
  });
  afterAll(async () => {
    await Promise.all([pool.end(), other.end()]);
    await database.drop();
  });

  const claim = (token: string, from: string) =>
    sql.claim({ worker: "w", token, limit: 50, lease_seconds: 60, from, look: 200, stream: "s", resend_before: null });

  /** The pages that a statement touched, by the counters of the database. */
  async function pagesOf(work: (from: string) => Promise<unknown>): Promise<number> {
    const [bound] = await sql.head({ from: "-infinity", look: 200 });
    const touched = async () => {
      await pool`select pg_stat_force_next_flush()`;
      const [row] = await pool.unsafe<{ pages: number }[]>(
        `select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as pages from pg_statio_user_tables where relname = '${table}'`,
      );
      return row!.pages;
    };
    const before = await touched();
    await work(bound!.bound);
    return (await touched()) - before;
  }

  async function drain(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const token = crypto.randomUUID();
      left -= (await claim(token, "-infinity")).length;
      await pool.unsafe(`update ${table} set ${done}, claim_token = null, lease_until = null where claim_token = '${token}'`);
    }
  }

  test("a claim behind a long transaction touches no more than before, however much was drained meanwhile", async () => {
    const old = await other.reserve();
    await old`begin isolation level repeatable read`;
    await old.unsafe(`select count(*) from ${table}`);
    await drain(50);
    const first = await pagesOf(from => claim(crypto.randomUUID(), from));
    await pool.unsafe(`update ${table} set status = 'PENDING', claim_token = null, lease_until = null where claim_token is not null`);
    await drain(2000);
    const later = await pagesOf(from => claim(crypto.randomUUID(), from));
    await old`rollback`;
    old.release();
    expect(later).toBeLessThan(first * 1.5);
  });
});
