import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { outboxEvents } from "../../testing/entitlement_rows.ts";
import { quoted } from "../../testing/rows.ts";
import type { EntitlementSql } from "../sql.gen.ts";

let database: TestDatabase;
let pool: Sql;
let outbox: EntitlementSql["outbox"];
beforeAll(async () => {
  database = await testDatabase("entitlement");
  pool = connect({ url: database.appUrl, name: "test", max: 4, statementTimeout: 5000 });
  outbox = bindStatements<EntitlementSql>(pool, readStatements(["entitlement"]), createMetrics(), 5000).outbox;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool`delete from outbox_events`;
});

const put = (version: number, due = "-1 second") =>
  outboxEvents.put(pool, { aggregate_version: version, next_retry_at: `now() + ${quoted(due)}::interval` });
const unseen: { stream: string; resend_before: string | null } = { stream: "events", resend_before: null };
const claim = async (token: string = crypto.randomUUID(), limit = 50, seen = unseen) =>
  (await outbox.claim({ worker: "w", token, limit, lease_seconds: 30, from: "-infinity", look: 4 * limit, ...seen })).map(
    row => row.aggregate_version,
  );

test("the events of an aggregate are claimed together, in order", async () => {
  for (const version of [2, 1, 3]) await put(version);
  expect(await claim()).toEqual([1, 2, 3]);
  expect(await claim()).toEqual([]);
});

test("one that waits for its retry holds up those after it", async () => {
  await put(1);
  await put(2, "1 hour");
  await put(3);
  expect(await claim()).toEqual([1]);
  expect(await claim()).toEqual([]);
});

test("an event that was put back does not pull later ones past the one that another relay has under way", async () => {
  await put(2);
  expect(await claim()).toEqual([2]);
  for (const version of [1, 3, 4]) await put(version);
  expect(await claim()).toEqual([1]);
  expect(await claim()).toEqual([]);
});

test("a claim takes no more than it was asked for, and leaves no gap in a run", async () => {
  for (let version = 1; version <= 10; version++) await put(version);
  expect(await claim(crypto.randomUUID(), 4)).toEqual([1, 2, 3, 4]);
});

test("an aggregate with open events near each other has one head, whatever failed or was published between them", async () => {
  await put(1, "1 hour");
  for (const version of [3, 25]) await put(version);
  expect(await claim()).toEqual([]);
});

test("a claim looks at a bounded number of events, and goes on from where it is told", async () => {
  await put(1, "-1 hour");
  expect(await claim()).toEqual([1]);
  for (let version = 2; version <= 10; version++) await put(version, `-${60 - version} seconds`);
  await outboxEvents.put(pool, { user_id: "'bob'", next_retry_at: "now() - interval '1 second'" });
  const claimFrom = async (from: string, token = crypto.randomUUID()) =>
    (await outbox.claim({ worker: "w", token, limit: 2, lease_seconds: 30, from, look: 5, ...unseen })).map(row => row.aggregate_key);
  expect(await claimFrom("-infinity")).toEqual([]);
  const [head] = await outbox.head({ from: "-infinity", look: 5 });
  expect(await claimFrom(head!.reach!)).toEqual(["bob:item"]);
});

test("nothing is claimed by who does not know that the stream lost messages: they come first", async () => {
  await put(1);
  await outbox.observe({ stream: "wiped", incarnation: "one", last_seq: 1, known_last_seq: 0 });
  const [seen] = await outbox.observe({ stream: "wiped", incarnation: "two", last_seq: 0, known_last_seq: 1 });
  expect(await claim(undefined, 50, { stream: "wiped", resend_before: null })).toEqual([]);
  expect(await claim(undefined, 50, { stream: "wiped", resend_before: seen!.resend_before })).toEqual([1]);
});
