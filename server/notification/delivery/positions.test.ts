import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type postgres from "postgres";
import { until } from "../../../stack/wait.ts";
import { faults } from "../../kernel/life/fault.ts";
import { createFlow } from "../../kernel/operator/flow.ts";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { putWaiting } from "../../testing/inbox.ts";
import { notifications } from "../../testing/notification_rows.ts";
import { testSender } from "../../testing/sender.ts";
import type { NotificationSql } from "../sql.gen.ts";
import type { Sending } from "./channels.ts";
import type { Newest } from "./hints.ts";

let database: TestDatabase;
let pool: Sql;
let sql: NotificationSql;
beforeAll(async () => {
  database = await testDatabase("notification");
  pool = connect({ url: database.appUrl, name: "test", max: 8, statementTimeout: 20_000, durable: false });
  sql = bindStatements<NotificationSql>(pool, readStatements(["kernel", "notification"]), createMetrics(), 20_000);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool`delete from notifications`;
});

const sent = async (): Promise<Sending> => ({ outcome: "sent" });

/** A sender over a channel that does as it is told, and what it said was delivered. */
function senderNamed(worker: string, send: (user: string) => Promise<Sending> = sent, batch = 20) {
  const told: Newest[] = [];
  const runOnce = testSender({
    notifications: sql.notifications,
    channels: new Map([["log", { name: "log", send: ({ user_id }) => send(user_id) }]]),
    faults: faults(),
    worker,
    batch,
    lease: 30_000,
    sendWithin: 5000,
    maxAttempts: 2,
    delivered: newest => void told.push(newest),
    flow: createFlow(createMetrics()),
    log: silentLog,
    metrics: createMetrics(),
  });
  return { told, runOnce };
}

const wait = (users: readonly string[], count: number) => putWaiting(pool as unknown as postgres.Sql, users, count);
const newestOf = async (user: string) => (await sql.feed.state({ user_id: user }))[0]!.position;
const positionsOf = async (user: string) =>
  (await pool`select position from notifications where user_id = ${user} and position is not null order by position`).map(
    row => row.position,
  );
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Reads a user's feed page by page as a stream would, until told to stop; then once more to its end. */
function follow(user: string) {
  const seen: number[] = [];
  let over = false;
  const turn = async () => {
    const rows = await sql.feed.after({ user_id: user, after_position: seen.at(-1) ?? 0, limit: 7 });
    seen.push(...rows.map(row => row.position));
    return rows.length;
  };
  const following = (async () => {
    while (!over) await turn();
    while ((await turn()) > 0);
  })();
  return {
    async stop() {
      over = true;
      await following;
      return seen;
    },
  };
}

test("four senders race over three users, with failures: a reader of the feed meets each position once, in order, without a gap", async () => {
  const users = ["race-1", "race-2", "race-3"];
  const each = 400;
  await wait(users, each);
  const readers = users.map(follow);
  const flaky = async (): Promise<Sending> => (Math.random() < 0.1 ? { outcome: "retry", error: "busy", afterSeconds: 0 } : sent());
  const racing = numbers(1, 4).map(n => senderNamed(`worker-${n}`, flaky));
  await Promise.all(
    racing.map(({ runOnce }) =>
      until(
        "nothing is left",
        30_000,
        async () => {
          await runOnce();
          return (await pool`select from notifications where status in ('PENDING', 'PROCESSING') limit 1`).length === 0;
        },
        0,
      ),
    ),
  );
  const seen = await Promise.all(readers.map(reader => reader.stop()));
  for (const [index, user] of users.entries()) {
    const newest = await newestOf(user);
    expect(seen[index]).toEqual(numbers(1, newest));
    expect(await positionsOf(user)).toEqual(numbers(1, newest));
    expect(newest).toBeGreaterThan(each * 0.9);
  }
  // They really met: neighbours in a feed were settled by different senders, time and again.
  const [met] = await pool`
    select count(*) as times from (
      select worker <> lag(worker) over (partition by user_id order by position) as changed
      from notifications join delivery_attempts using (notification_id) where outcome = 'sent') one where changed`;
  expect(met?.times).toBeGreaterThan(10);
  // Each said what it delivered, once a user and batch, and the last word on each user was the newest.
  const told = racing.flatMap(one => one.told);
  for (const user of users) expect(Math.max(...told.map(newest => newest.get(user) ?? 0))).toBe(await newestOf(user));
});

const claim = (token: string, limit: number, lease_seconds = 30) =>
  sql.notifications.claim({ worker: "w", token, limit, lease_seconds, from: "-infinity", look: 4 * limit });
const settle = (token: string, rows: readonly { notification_id: string }[]) =>
  sql.notifications.settle({
    token,
    worker: "w",
    notification_id: rows.map(row => row.notification_id),
    outcome: rows.map(() => "sent"),
    error: rows.map(() => null),
    delay_seconds: rows.map(() => null),
    duration_ms: rows.map(() => 1),
    max_attempts: 2,
  });

test("settlements of the same users in opposite order wait for each other without a deadlock", async () => {
  const users = numbers(1, 30).map(n => `ring-${String(n).padStart(2, "0")}`);
  await wait(users, 20);
  const claims = [crypto.randomUUID(), crypto.randomUUID()] as const;
  const [up, down] = [await claim(claims[0], 300), await claim(claims[1], 300)];
  const byUser = (a: { user_id: string }, b: { user_id: string }) => a.user_id.localeCompare(b.user_id);
  const slices = (token: string, rows: typeof up) =>
    numbers(0, 3).map(n =>
      settle(
        token,
        rows.filter((_, index) => Math.floor(index / 2) % 4 === n),
      ),
    );
  const done = await Promise.all([...slices(claims[0], up.toSorted(byUser)), ...slices(claims[1], down.toSorted(byUser).reverse())]);
  expect(done.flat()).toHaveLength(600);
  for (const user of users) expect(await positionsOf(user)).toEqual(numbers(1, 20));
});

test("rows of a settlement are not reclaimed while it waits for the counter, even if its lease ends", async () => {
  await wait(["slow"], 1);
  await senderNamed("w").runOnce();
  await wait(["slow"], 1);
  const other = await pool.reserve();
  await other`begin`;
  await other`select from inbox_positions where user_id = 'slow' for update`;
  const token = crypto.randomUUID();
  const settling = settle(token, await claim(token, 10, 0.001));
  const waits = async () =>
    (await pool`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0;
  await until("the settlement waits for the counter", 5000, waits);
  expect(await sql.notifications.reclaim({ limit: 10, from: "-infinity" })).toHaveLength(0);
  await other`commit`;
  other.release();
  expect(await settling).toMatchObject([{ user_id: "slow", status: "SENT", position: 2 }]);
  expect([await positionsOf("slow"), await newestOf("slow")]).toEqual([[1, 2], 2]);
});

test("a settlement that meets a renewal of its own lease gives no position to a row that it cannot settle", async () => {
  await wait(["renewed"], 1);
  const token = crypto.randomUUID();
  const rows = await claim(token, 10);
  const other = await pool.reserve();
  await other`begin`;
  await other`update notifications set lease_until = now() + interval '1 minute' where claim_token = ${token}`;
  const settling = settle(token, rows);
  const waits = async () =>
    (await pool`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0;
  await until("the settlement waits for the renewal", 5000, waits);
  await other`commit`;
  other.release();
  expect(await settling).toEqual([]);
  expect(await settle(token, rows)).toMatchObject([{ user_id: "renewed", status: "SENT", position: 1 }]);
  expect([await positionsOf("renewed"), await newestOf("renewed")]).toEqual([[1], 1]);
});

test("only a delivery gets a position: not a retry, not a failure, not a late result", async () => {
  await wait(["bad", "good"], 1);
  const failing = senderNamed("w", async user => (user === "bad" ? { outcome: "dead", error: "no such user" } : sent()));
  await failing.runOnce();
  expect(await pool`select user_id, status, position from notifications order by user_id`).toEqual([
    { user_id: "bad", status: "FAILED", position: null },
    { user_id: "good", status: "SENT", position: 1 },
  ] as never);
  expect([await newestOf("bad"), failing.told.map(one => [...one])]).toEqual([0, [[["good", 1]]]]);

  const [failed] = await pool`select notification_id from notifications where user_id = 'bad'`;
  await wait(["bad"], 1);
  await senderNamed("w").runOnce();
  await sql.notifications.requeue({ notification_id: [failed!.notification_id], actor: "op", reason: "r" });
  // The lease is lost while the channel works, and another sender delivers: what comes late counts for nothing.
  const zombie = senderNamed("zombie", async () => {
    await pool`update notifications set lease_until = now() - interval '1 second' where status = 'PROCESSING'`;
    await sql.notifications.reclaim({ limit: 10, from: "-infinity" });
    await senderNamed("other").runOnce();
    return sent();
  });
  await zombie.runOnce();
  expect((await pool`select position from notifications where notification_id = ${failed!.notification_id}`)[0]?.position).toBe(2);
  expect([await positionsOf("bad"), await newestOf("bad"), zombie.told.flatMap(one => [...one])]).toEqual([[1, 2], 2, []]);
});

test("versions of an aggregate that are delivered together stand in the feed in their order", async () => {
  const versions = numbers(1, 14);
  await notifications.put(
    pool,
    { user_id: "'ordered'", stock_keeping_unit: "(v % 2)::text", aggregate_version: "v" },
    `unnest(array[${versions}]) v order by random()`,
  );
  await senderNamed("w", sent, 50).runOnce();
  const rows = await pool`select aggregate_key, aggregate_version as version from notifications order by position`;
  for (const aggregate of ["ordered:0", "ordered:1"]) {
    const order = rows.filter(row => row.aggregate_key === aggregate).map(row => row.version as number);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
  expect(await positionsOf("ordered")).toEqual(numbers(1, 14));
});

test("a late version does not pull newer ones past the one that another sender has claimed", async () => {
  const put = (version: number, stale: boolean) =>
    notifications.put(pool, {
      user_id: "'late'",
      aggregate_version: version,
      stale: `${stale}`,
      next_retry_at: "now() - interval '1 second'",
    });
  await put(2, false);
  const token = crypto.randomUUID();
  const underWay = await claim(token, 10);
  for (const [version, stale] of [
    [1, true],
    [3, false],
    [4, false],
  ] as const)
    await put(version, stale);
  await senderNamed("w").runOnce();
  await senderNamed("w").runOnce();
  const order = async () =>
    (await pool`select aggregate_version as version from notifications where position is not null order by position`).map(
      row => row.version,
    );
  expect(await order()).toEqual([1]);
  await settle(token, underWay);
  await senderNamed("w").runOnce();
  expect(await order()).toEqual([1, 2, 3, 4]);
});

test("positions continue after delivered notifications were deleted", async () => {
  await wait(["kept"], 3);
  await senderNamed("w").runOnce();
  expect(await sql.notifications.cleanup({ retention_seconds: 0, limit: 100 })).toHaveLength(3);
  await wait(["kept"], 1);
  await senderNamed("w").runOnce();
  expect(await positionsOf("kept")).toEqual([4]);
});
