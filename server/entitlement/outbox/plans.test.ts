import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { readStatements } from "../../kernel/postgres/statements.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { outboxEvents } from "../../testing/entitlement_rows.ts";

let database: TestDatabase;
let pool: Sql;
beforeAll(async () => {
  database = await testDatabase("entitlement");
  pool = connect({ url: database.appUrl, name: "test", max: 1, statementTimeout: 20_000 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const statements = readStatements(["kernel", "entitlement"]);
const textOf = (name: string) => statements.find(one => one.path.join(".") === name)!.text;
const planOf = async (text: string) =>
  (await pool.unsafe(`explain (generic_plan) ${text}`)).map(row => row["QUERY PLAN"] as string).join("\n");

/** A scan of outbox_events that reads more than the rows it looks for. */
const scan = /Seq Scan on outbox_events|(Index Scan|Index Only Scan) using \w+ on outbox_events( \w+)?\s+\(cost[^\n]*\n(?!\s+Index Cond)/;

/** After an idle hour: all events are confirmed, so the statistics say that the indexes of open and unconfirmed events are empty. */
async function fillConfirmed(): Promise<void> {
  const admin = connect({ url: database.adminUrl, name: "admin", max: 1, statementTimeout: 20_000 });
  await outboxEvents.put(admin, { user_id: "'u' || n", status: "'PUBLISHED'", confirmed_at: "now()" }, "generate_series(1, 20000) n");
  await admin`vacuum analyze outbox_events`;
  await admin.end();
}

test("settling and confirming events looks each one up, on an empty table and after an idle hour", async () => {
  const names = ["change", "outbox.finalize", "outbox.retry", "outbox.release", "outbox.renew", "outbox.confirm", "outbox.resend_missing"];
  for (const fill of [async () => {}, fillConfirmed]) {
    await fill();
    for (const name of names) expect(`${name}\n${await planOf(textOf(name))}`).not.toMatch(scan);
  }
});

test("a statement that scans the unconfirmed events is noticed", async () => {
  const text = textOf("outbox.confirm").replace("num_nulls(o.confirmed_at) = 1", "o.confirmed_at is null");
  expect(await planOf(text)).toMatch(scan);
});
