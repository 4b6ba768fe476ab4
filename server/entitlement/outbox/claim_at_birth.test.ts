import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type Claiming, unclaimed } from "../../kernel/delivery/claim_on_write.ts";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { entitlements, outboxEvents } from "../../testing/entitlement_rows.ts";
import { quoted } from "../../testing/rows.ts";
import type { EntitlementSql } from "../sql.gen.ts";

let database: TestDatabase;
let pool: Sql;
let sql: EntitlementSql;
beforeAll(async () => {
  database = await testDatabase("entitlement");
  pool = connect({ url: database.appUrl, name: "test", max: 4, statementTimeout: 5000 });
  sql = bindStatements<EntitlementSql>(pool, readStatements(["kernel", "entitlement"]), createMetrics(), 5000);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Seen = { readonly stream: string; readonly resend_before: string | null };
type Target = "ACTIVE" | "REVOKED";
const claiming = () => ({ worker: "api", token: crypto.randomUUID(), lease_seconds: 10 });

/** Changes one item each of the user's, in one batch; says which of them were claimed. */
async function change(
  user: string,
  targets: Record<string, Target>,
  claim: Claiming = claiming(),
  seen: Seen = { stream: "events", resend_before: null },
) {
  const items = Object.keys(targets);
  const all = (value: string) => items.map(() => value);
  const rows = await sql.change({
    client_id: all("shop"),
    route: all("/v1/entitlements/grants"),
    idem_key: items.map(() => crypto.randomUUID()),
    request_hash: all("h"),
    ttl_seconds: 60,
    user_id: all(user),
    stock_keeping_unit: items,
    target: Object.values(targets),
    source: all("purchase"),
    source_id: all("p"),
    traceparent: all("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
    conflict_body: all("{}"),
    operator_reason: items.map(() => null),
    ...claim,
    ...seen,
  });
  return rows.filter(({ claimed_id }) => claimed_id !== null).map(({ n }) => items[n - 1]!);
}

const published = (user: string) =>
  pool`update outbox_events set status = 'PUBLISHED', published_at = now(), claim_token = null, lease_until = null where aggregate_key like ${`${user}:%`}`;

const someoneWaits = () =>
  until(
    "the second waits",
    5000,
    async () => (await pool`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length === 1,
  );

test("an event is claimed as it is written, unless one of its aggregate is still open or nothing has changed", async () => {
  expect(await change("ann", { a: "ACTIVE", b: "ACTIVE" })).toEqual(["a", "b"]);
  expect(await change("ann", { a: "REVOKED", b: "ACTIVE", c: "REVOKED" })).toEqual(["c"]);
  await published("ann");
  expect(await change("ann", { a: "ACTIVE" })).toEqual(["a"]);
});

test("a claim at birth holds what a claim of the relay's holds, and its token settles it", async () => {
  const claim = claiming();
  await change("bea", { a: "ACTIVE" }, claim);
  const held = await pool`select event_id, status, locked_by, claim_token, attempt_count, publish_generation,
    extract(epoch from lease_until - locked_at)::int as lease from outbox_events where aggregate_key = 'bea:a'`;
  expect(held).toMatchObject([
    { status: "IN_FLIGHT", locked_by: "api", claim_token: claim.token, attempt_count: 0, publish_generation: 0, lease: 10 },
  ]);
  const settle = (token: string) =>
    sql.outbox.finalize({ token, event_id: [held[0]!.event_id], stream_seq: [1], stream_duplicate: [false] });
  expect(await settle(crypto.randomUUID())).toEqual([]);
  expect(await settle(claim.token)).toHaveLength(1);
});

test("without a token nothing is claimed", async () => {
  expect(await change("cid", { a: "ACTIVE" }, unclaimed)).toEqual([]);
  expect(await pool`select status, locked_by from outbox_events where aggregate_key = 'cid:a'`).toMatchObject([
    { status: "PENDING", locked_by: null },
  ]);
});

test("nothing is claimed by who does not know that the stream lost messages: they come first", async () => {
  const unknowing = { stream: "wiped", resend_before: null };
  await sql.outbox.observe({ stream: "wiped", incarnation: "one", last_seq: 1, known_last_seq: 0 });
  expect(await change("flo", { a: "ACTIVE" }, claiming(), unknowing)).toEqual(["a"]);
  await published("flo");
  const [seen] = await sql.outbox.observe({ stream: "wiped", incarnation: "two", last_seq: 0, known_last_seq: 1 });
  expect(seen!.lost).toBe(true);
  expect(await change("flo", { a: "REVOKED", b: "ACTIVE" }, claiming(), unknowing)).toEqual([]);
  await published("flo");
  expect(await change("flo", { a: "ACTIVE" }, claiming(), { stream: "wiped", resend_before: seen!.resend_before })).toEqual(["a"]);
});

test("two that find the same loss wait for each other: nothing newer overtakes what is being put back", async () => {
  await change("gus", { a: "ACTIVE" });
  await published("gus");
  await sql.outbox.observe({ stream: "cut", incarnation: "one", last_seq: 1, known_last_seq: 0 });
  const [seen] = await sql.outbox.observe({ stream: "cut", incarnation: "two", last_seq: 0, known_last_seq: 1 });
  const { second } = await pool.begin(async first => {
    await first`select from outbox_events where aggregate_key = 'gus:a' for update`;
    const second = sql.outbox.resend_lost({ stream: "cut", limit: 1000 });
    await someoneWaits();
    return { second };
  });
  expect((await second).length).toBeGreaterThan(0);
  expect(await change("gus", { a: "REVOKED" }, claiming(), { stream: "cut", resend_before: seen!.resend_before })).toEqual([]);
});

for (const [what, before] of [
  ["the first version", undefined],
  ["a later version", "REVOKED"],
] as const)
  test(`a change that waited for ${what} to commit is not claimed: its event could overtake the other's`, async () => {
    const user = before ? "dan" : "eve";
    if (before) await change(user, { a: before });
    await published(user);
    const behind = await pool.begin(async first => {
      await first.unsafe(`${entitlements.text({ user_id: quoted(user), stock_keeping_unit: "'a'" })}
        on conflict (user_id, stock_keeping_unit)
        do update set status = 'ACTIVE', version = entitlements.version + 1, granted_at = now(), revoked_at = null`);
      const event = { user_id: "user_id", stock_keeping_unit: "'a'", aggregate_version: "version" };
      await outboxEvents.put(first, event, `entitlements where user_id = '${user}'`);
      const second = change(user, { a: "REVOKED" });
      await someoneWaits();
      return { second };
    });
    expect(await behind.second).toEqual([]);
    const states =
      await pool`select status from outbox_events where aggregate_key = ${`${user}:a`} order by aggregate_version desc limit 2`;
    expect([...states]).toEqual([{ status: "PENDING" }, { status: "PENDING" }]);
  });
