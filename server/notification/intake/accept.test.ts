import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { notifications } from "../../testing/notification_rows.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { acceptArrivals } from "./arrivals.ts";

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

/** The same version of an item is the same event. */
const ids = new Map<string, string>();
const idOf = (user: string, version: string) => ids.getOrInsertComputed(`${user} ${version}`, () => crypto.randomUUID());

/** Versions of items of a user, `item v1`, come in one batch; `item v3!1` is let through if the newest is v1. */
async function accept(user: string, written: readonly string[], deliver = true, statements = sql) {
  const versions = written.map(text => text.split("!")[0]!);
  const parts = versions.map(text => text.split(" v") as [string, string]);
  const event_id = versions.map(version => idOf(user, version));
  const rows = await acceptArrivals(statements, {
    event_id,
    event_type: parts.map(() => "EntitlementGranted"),
    aggregate_key: parts.map(([item]) => `${user}:${item}`),
    aggregate_version: parts.map(([, version]) => Number(version)),
    stream_seq: parts.map((_, index) => index + 1),
    user_id: parts.map(() => user),
    payload: parts.map(() => ({})),
    traceparent: parts.map(() => "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
    through: new Map(
      written.flatMap((text, index) => {
        const [item, version] = parts[index]!;
        return text.includes("!") ? [[`${user}:${item}`, { version: Number(version), at: Number(text.split("!")[1]) }] as const] : [];
      }),
    ),
    channel: "log",
    worker: "consumer",
    deliver,
  });
  return rows.map(row => ({ ...row, version: versions[event_id.indexOf(row.event_id)]! })).sort((a, b) => (a.version < b.version ? -1 : 1));
}

/** Says which of them were SENT from the start. */
const comeIn = async (...batch: Parameters<typeof accept>) =>
  (await accept(...batch)).filter(row => row.sent_id !== null).map(row => row.version);

/** Says what became of each: `a v2 waits`, `a v2`, `a v2 gap` or `a v2 stale`; a duplicate is not named. */
const outcomes = async (user: string, ...versions: string[]) =>
  (await accept(user, versions)).map(
    ({ version, waiting, stale, isAfterGap }) => `${version}${waiting ? " waits" : ""}${stale ? " stale" : ""}${isAfterGap ? " gap" : ""}`,
  );
const newestOf = async (user: string) =>
  (await pool`select version from newest_versions where aggregate_key = ${`${user}:a`}`).map(row => row.version as number);

const someoneWaits = () =>
  until(
    "the second waits",
    5000,
    async () => (await pool`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length === 1,
  );

test("notifications are SENT from the start with their whole run, unless one of their aggregate is still open", async () => {
  expect(await comeIn("ann", ["a v1", "a v2", "b v1"])).toEqual(["a v1", "a v2", "b v1"]);
  expect(await comeIn("ann", ["a v3"], false)).toEqual([]);
  expect(await comeIn("ann", ["a v4", "b v2", "c v1"])).toEqual(["b v2", "c v1"]);
  const rows =
    await pool`select position, attempt_count, attempts_made, sent_at >= created_at as in_time, failed_at, number, worker, outcome
    from notifications left join delivery_attempts using (notification_id) where user_id = 'ann' and status = 'SENT' order by position`;
  const once = { attempt_count: 1, attempts_made: 1, in_time: true, failed_at: null, number: 1, worker: "consumer", outcome: "sent" };
  expect([...rows]).toEqual([1, 2, 3, 4, 5].map(position => ({ position, ...once })));
  expect([...(await pool`select position from inbox_positions where user_id = 'ann'`)]).toEqual([{ position: 5 }]);
  const [misplaced] = await pool`select count(*) from notifications a join notifications b using (aggregate_key)
    where a.user_id = 'ann' and a.aggregate_version < b.aggregate_version and a.position > b.position`;
  expect(misplaced!.count).toBe(0);
});

test("a FAILED notification that outlived its processed event stays as it is, and takes no place in the feed", async () => {
  const event_id = idOf("lee", "a v1");
  await notifications.put(pool, { event_id: `'${event_id}'`, user_id: "'lee'", stock_keeping_unit: "'a'", status: "'FAILED'" });
  expect(await comeIn("lee", ["a v1"])).toEqual([]);
  expect((await pool`select status from notifications where event_id = ${event_id}`).map(row => row.status)).toEqual(["FAILED"]);
  expect(await pool`select from inbox_positions where user_id = 'lee'`).toHaveLength(0);
});

test("an event whose predecessor was not consumed waits, and nothing of it is stored", async () => {
  expect(await outcomes("eve", "a v1")).toEqual(["a v1"]);
  expect(await outcomes("eve", "a v3")).toEqual(["a v3 waits"]);
  expect(await newestOf("eve")).toEqual([1]);
  expect(await pool`select from processed_events where aggregate_key = 'eve:a'`).toHaveLength(1);
  expect(await outcomes("eve", "a v2")).toEqual(["a v2"]);
  expect(await outcomes("eve", "a v3")).toEqual(["a v3"]);
});

test("entitlement's database was restored: other events with versions that were consumed are consumed too, stale if there was a newer one", async () => {
  expect(await outcomes("rex", "a v1", "a v2", "a v3")).toEqual(["a v1", "a v2", "a v3"]);
  for (const version of ["a v2", "a v3"]) ids.delete(`rex ${version}`);
  expect(await outcomes("rex", "a v2")).toEqual(["a v2 stale"]);
  expect(await outcomes("rex", "a v3")).toEqual(["a v3"]);
  expect(await outcomes("rex", "a v4")).toEqual(["a v4"]);
  expect(await pool`select from notifications where aggregate_key = 'rex:a'`).toHaveLength(6);
});

test("a batch is consumed up to its first gap; events after the gap wait", async () => {
  expect(await outcomes("flo", "a v1", "a v2", "a v4", "a v5", "b v1")).toEqual(["a v1", "a v2", "a v4 waits", "a v5 waits", "b v1"]);
  expect(await outcomes("flo", "a v5", "a v4", "a v3")).toEqual(["a v3", "a v4", "a v5"]);
  expect(await newestOf("flo")).toEqual([5]);
});

test("of an aggregate that is seen for the first time, later versions wait for the first", async () => {
  expect(await outcomes("gus", "a v2", "a v3")).toEqual(["a v2 waits", "a v3 waits"]);
  expect(await newestOf("gus")).toEqual([0]);
  expect(await outcomes("gus", "a v1", "a v2")).toEqual(["a v1", "a v2"]);
});

test("an event that has waited long enough is consumed, with all before it in its batch and all that follow without a gap; the missing one is stale then", async () => {
  expect(await outcomes("hal", "a v1")).toEqual(["a v1"]);
  expect(await outcomes("hal", "a v3", "a v5!1", "a v6", "a v8")).toEqual(["a v3 gap", "a v5 gap", "a v6", "a v8 waits"]);
  expect(await newestOf("hal")).toEqual([6]);
  expect(await outcomes("hal", "a v2", "a v7")).toEqual(["a v2 stale", "a v7 waits"]);
  expect(await outcomes("hal", "a v7", "a v8")).toEqual(["a v7", "a v8"]);
});

test("an event that was to be let through goes on waiting if its aggregate made progress meanwhile", async () => {
  expect(await outcomes("kim", "a v1", "a v2")).toEqual(["a v1", "a v2"]);
  expect(await outcomes("kim", "a v5!1", "a v6")).toEqual(["a v5 waits", "a v6 waits"]);
  expect(await outcomes("kim", "a v3!1", "a v5")).toEqual(["a v3", "a v5 waits"]);
});

test("a duplicate is no reason to wait, and neither is a gap that has been passed", async () => {
  expect(await outcomes("ida", "a v1", "a v3!0")).toEqual(["a v1", "a v3 gap"]);
  expect(await outcomes("ida", "a v1", "a v3")).toEqual([]);
  expect(await outcomes("ida", "a v3", "a v4")).toEqual(["a v4"]);
});

test("two consumers with neighbours: the commit of the earlier version decides about the later one", async () => {
  await outcomes("jan", "a v1");
  const behind = await pool.begin(async first => {
    await first`update newest_versions set version = 2 where aggregate_key = 'jan:a'`;
    const second = outcomes("jan", "a v3");
    await someoneWaits();
    return { second };
  });
  expect(await behind.second).toEqual(["a v3"]);
});

test("what may not be delivered is PENDING for the sender", async () => {
  expect(await comeIn("bea", ["a v1"], false)).toEqual([]);
  const states =
    await pool`select status, position, attempt_count, next_retry_at = created_at as is_new from notifications where user_id = 'bea'`;
  expect([...states]).toEqual([{ status: "PENDING", position: null, attempt_count: 0, is_new: true }]);
});

test("a version that waited for the one before to commit is not delivered: it could overtake it", async () => {
  const behind = await pool.begin(async first => {
    await first`insert into newest_versions values ('cid:a', 1)`;
    await notifications.put(first, { user_id: "'cid'", stock_keeping_unit: "'a'" });
    const second = comeIn("cid", ["a v2"]);
    await someoneWaits();
    return { second };
  });
  expect(await behind.second).toEqual([]);
});

test("two late versions that come to two consumers at once are not both delivered", async () => {
  await comeIn("dan", ["a v5!0"]);
  const behind = await pool.begin(async first => {
    await first`update newest_versions set version = greatest(version, 3) where aggregate_key = 'dan:a'`;
    await notifications.put(first, { user_id: "'dan'", stock_keeping_unit: "'a'", aggregate_version: 3, stale: "true" });
    const second = comeIn("dan", ["a v4"]);
    await someoneWaits();
    return { second };
  });
  expect(await behind.second).toEqual([]);
});

test.each([
  ["a feed", ["a v1"]],
  ["a feed that begins then", []],
])("an erasure that meets a delivery to %s leaves no place in it without its counter", async (what, before) => {
  const user = `sue of ${what}`;
  const pseudonym = `erased-${crypto.randomUUID()}`;
  if (before.length > 0) await accept(user, before);
  await pool`insert into erasures (pseudonym, user_id, emails, requested_by, reason) values (${pseudonym}, ${user}, '{}', 'user:admin', 'asked for')`;
  const delivery = connect({ url: database.appUrl, name: "delivery", max: 1, statementTimeout: 5000 });
  const own = bindStatements<NotificationSql>(delivery, readStatements(["kernel", "notification"]), createMetrics(), 5000);
  await delivery`begin`;
  await accept(user, ["b v1"], true, own);
  const erasing = pool`select erase_user(${pseudonym}, 100)`.execute();
  // Without a counter there is nothing to wait for, and nothing to erase yet.
  if (before.length > 0) await someoneWaits();
  else await erasing;
  await delivery`commit`;
  await delivery.end();
  await erasing;
  await pool`select erase_user(${pseudonym}, 100)`;
  const feeds = await pool`select user_id, p.position, count(*)::int as there, max(n.position)::int as last
    from inbox_positions p full join notifications n using (user_id) where user_id in (${user}, ${pseudonym}) group by user_id, p.position`;
  const all = before.length + 1;
  expect([...feeds]).toEqual([{ user_id: pseudonym, position: all, there: all, last: all }]);
});
