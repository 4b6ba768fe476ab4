import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { connect, type Sql } from "../kernel/database.ts";
import { unclaimed } from "../kernel/first_attempts.ts";
import { createMetrics } from "../kernel/metrics.ts";
import { bindStatements, readStatements } from "../kernel/statements.ts";
import { type TestDatabase, testDatabase } from "../testing/databases.ts";
import type { NotificationSql } from "./sql.gen.ts";

let database: TestDatabase;
let pool: Sql;
let sql: NotificationSql;
beforeAll(async () => {
  database = await testDatabase("notification");
  pool = connect({ url: database.appUrl, name: "test", max: 4, statementTimeout: 5000 });
  sql = bindStatements<NotificationSql>(pool, readStatements(["kernel", "notification"]), createMetrics(), 5000);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Versions of items of a user, `item v1`, come in one batch; says which of them were claimed. */
async function comeIn(user: string, versions: readonly string[], claim: { token: string | null } = { token: crypto.randomUUID() }) {
  const parts = versions.map(text => text.split(" v") as [string, string]);
  const event_id: string[] = parts.map(() => crypto.randomUUID());
  const rows = await sql.accept({
    event_id,
    event_type: parts.map(() => "EntitlementGranted"),
    aggregate_key: parts.map(([item]) => `${user}:${item}`),
    aggregate_version: parts.map(([, version]) => Number(version)),
    stream_seq: parts.map((_, index) => index + 1),
    user_id: parts.map(() => user),
    payload: parts.map(() => ({})),
    traceparent: parts.map(() => "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
    channel: "log",
    ...(claim.token ? { worker: "consumer", token: claim.token, lease_seconds: 10 } : unclaimed),
  });
  return rows
    .filter(row => row.claimed_id !== null)
    .map(row => versions[event_id.indexOf(row.event_id)]!)
    .sort();
}

const someoneWaits = () =>
  until(
    "the second waits",
    5000,
    async () => (await pool`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length === 1,
  );

test("what comes is claimed with its whole run, unless something of its aggregate is still open", async () => {
  expect(await comeIn("ann", ["a v1", "a v2", "b v1"])).toEqual(["a v1", "a v2", "b v1"]);
  expect(await comeIn("ann", ["a v3", "c v1"])).toEqual(["c v1"]);
  await pool`update notifications set status = 'SENT', sent_at = now(), position = 1, claim_token = null, lease_until = null where aggregate_key = 'ann:b'`;
  expect(await comeIn("ann", ["b v2"])).toEqual(["b v2"]);
});

test("without a token nothing is claimed", async () => {
  expect(await comeIn("bea", ["a v1"], { token: null })).toEqual([]);
  const states = await pool`select status, locked_by from notifications where user_id = 'bea'`;
  expect([...states]).toEqual([{ status: "PENDING", locked_by: null }]);
});

test("a version that waited for the one before to commit is not claimed: it could overtake it", async () => {
  const behind = await pool.begin(async first => {
    await first`insert into newest_versions values ('cid:a', 1)`;
    await first`insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel)
      values (gen_random_uuid(), 'cid', 'EntitlementGranted', 'cid:a', 1, false, '{}', 't', 'log')`;
    const second = comeIn("cid", ["a v2"]);
    await someoneWaits();
    return { second };
  });
  expect(await behind.second).toEqual([]);
});

test("two late versions that come to two consumers at once are not both claimed", async () => {
  await comeIn("dan", ["a v5"]);
  await pool`update notifications set status = 'SENT', sent_at = now(), position = 1, claim_token = null, lease_until = null where user_id = 'dan'`;
  const behind = await pool.begin(async first => {
    await first`update newest_versions set version = greatest(version, 3) where aggregate_key = 'dan:a'`;
    await first`insert into notifications (event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel)
      values (gen_random_uuid(), 'dan', 'EntitlementGranted', 'dan:a', 3, true, '{}', 't', 'log')`;
    const second = comeIn("dan", ["a v4"]);
    await someoneWaits();
    return { second };
  });
  expect(await behind.second).toEqual([]);
});
