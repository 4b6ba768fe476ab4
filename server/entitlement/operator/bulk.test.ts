import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { outboxEvents } from "../../testing/entitlement_rows.ts";
import { quoted } from "../../testing/rows.ts";
import type { EntitlementSql } from "../sql.gen.ts";

let database: TestDatabase;
let pool: Sql;
let sql: EntitlementSql;
beforeAll(async () => {
  database = await testDatabase("entitlement");
  pool = connect({ url: database.appUrl, name: "test", max: 12, statementTimeout: 10_000 });
  sql = bindStatements<EntitlementSql>(pool, readStatements(["kernel", "entitlement"]), createMetrics(), 10_000);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const anything = { status: null, type: null, user_id: null, fingerprint: null, min_attempts: null, created_from: null, created_to: null };
const put = (count: number, error: string) =>
  outboxEvents.put(pool, { user_id: "'user-' || n", status: "'FAILED'", last_error: quoted(error) }, `generate_series(1, ${count}) n`);
async function start(error: string, actor = "otto"): Promise<string> {
  const [{ eligible, set_hash } = { eligible: 0, set_hash: "" }] = await sql.bulk.preview({ ...anything, error, action: "requeue" });
  const action = { action: "requeue", filter: { error }, set_hash, expected: eligible, actor, reason: "why" };
  return (await sql.bulk.start({ ...anything, error, ...action }))[0]!.operation_id;
}
/** As a worker does: processes the next operation, if there is one. */
async function workOff() {
  const [next] = await sql.operations.next({ kind: "outbox" });
  return next ? sql.bulk.requeue({ operation_id: next.operation_id, position: null, limit: 5 }) : [];
}
const isRunning = async (operation_id: string) => (await sql.operations.find({ operation_id }))[0]!.status === "RUNNING";

test("eight workers on two operations over the same rows, which fail again at once: an operation changes a row once, and counts what it did", async () => {
  await put(600, "again and again");
  const operations = [await start("again and again"), await start("again and again", "olga")];
  const open = async () => (await Promise.all(operations.map(isRunning))).some(Boolean);
  const fail = async () => {
    while (await open()) await pool`update outbox_events set status = 'FAILED' where status = 'PENDING'`;
  };
  const work = async () => {
    while (await open()) await workOff();
  };
  await Promise.all([fail(), ...Array.from({ length: 8 }, work)]);
  for (const operation_id of operations) {
    const [{ done, skipped } = { done: 0, skipped: 0 }] = await sql.operations.find({ operation_id });
    expect(done + skipped).toBe(600);
    const noted =
      await pool`select subject from operator_actions where detail ->> 'operation_id' = ${operation_id} and action = 'outbox.requeue'`;
    expect([noted.length, new Set(noted.map(row => row.subject)).size]).toEqual([done, done]);
    const items = await pool`select from operation_items where operation_id = ${operation_id} and result = 'DONE'`;
    expect(items).toHaveLength(done);
  }
  const [{ generations } = { generations: 0 }] = await pool`select sum(publish_generation)::int as generations from outbox_events`;
  expect(generations).toBe((await pool`select from operator_actions where action = 'outbox.requeue'`).length);
}, 30_000);

test("a worker skips an operation that another worker holds; after a cancel, no batch follows", async () => {
  await put(20, "large");
  await put(3, "small");
  const [large, small] = [await start("large"), await start("small")];
  await pool.begin(async held => {
    await held`select from operations where operation_id = ${large} for update`;
    expect(await workOff()).toMatchObject([{ operation_id: small, status: "DONE", changed: 3, unchanged: 0 }]);
    expect(await workOff()).toEqual([]);
  });
  expect(await workOff()).toMatchObject([{ operation_id: large, status: "RUNNING", changed: 5 }]);
  expect(await sql.operations.cancel({ operation_id: large, actor: "otto", reason: "why" })).toHaveLength(1);
  expect(await workOff()).toEqual([]);
  expect(await sql.operations.find({ operation_id: large })).toMatchObject([{ status: "CANCELLED", done: 5, total: 20 }]);
});

test("operations take turns: a small one does not wait for the end of a large one", async () => {
  await put(20, "first");
  await put(20, "second");
  const turns = [await start("first"), await start("second")];
  const worked = [];
  for (let n = 0; n < 4; n++) worked.push((await workOff())[0]!.operation_id);
  expect(worked).toEqual([...turns, ...turns]);
});
