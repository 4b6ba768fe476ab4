import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { connect, type Sql } from "./database.ts";

let database: TestDatabase;
const open: Sql[] = [];
beforeAll(async () => {
  database = await testDatabase("entitlement");
});
afterAll(async () => {
  await Promise.all(open.map(sql => sql.end()));
  await database.drop();
});

async function settingsOf(durable: boolean): Promise<Record<string, string>> {
  const sql = connect({ url: database.appUrl, name: "a test", max: 1, statementTimeout: 4000, durable });
  open.push(sql);
  const rows = await sql`select name, setting from pg_settings`;
  return Object.fromEntries(rows.map(row => [row.name, row.setting]));
}

test("the server has every setting that a connection asks for", async () => {
  expect(await settingsOf(true)).toMatchObject({
    application_name: "a test",
    TimeZone: "UTC",
    enable_seqscan: "off",
    plan_cache_mode: "force_generic_plan",
    jit: "off",
    statement_timeout: "4000",
    lock_timeout: "1000",
    synchronous_commit: "on",
    idle_in_transaction_session_timeout: "10000",
  });
  expect(await settingsOf(false)).toMatchObject({ synchronous_commit: "off" });
});
