import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { faults } from "../kernel/life/fault.ts";
import { createFlow } from "../kernel/operator/flow.ts";
import { connect, type Sql } from "../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../kernel/postgres/statements.ts";
import { silentLog } from "../kernel/telemetry/log.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";
import type { Channel, Sending } from "../notification/delivery/channels.ts";
import { acceptArrivals } from "../notification/intake/arrivals.ts";
import type { NotificationSql } from "../notification/sql.gen.ts";
import { type TestDatabase, testDatabase } from "../testing/databases.ts";
import { testSender } from "../testing/sender.ts";

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
beforeEach(async () => {
  await pool`delete from notifications`;
});

const quick = { batch: 50, lease: 1500, sendWithin: 500, maxAttempts: 10 };

/** A sender over a channel of the test, with the sends it got, in order. */
function senderOver(send: (user: string, version: number, time: number) => Promise<Sending>, options: Partial<typeof quick> = {}) {
  const asked: string[] = [];
  const metrics = createMetrics();
  const channel: Channel = {
    name: "odd",
    send({ user_id, aggregate_version }) {
      asked.push(`${user_id} v${aggregate_version}`);
      return send(user_id, aggregate_version, asked.filter(one => one === asked.at(-1)).length);
    },
  };
  const runOnce = testSender({
    ...quick,
    ...options,
    notifications: sql.notifications,
    channels: new Map([["odd", channel]]),
    faults: faults(),
    worker: "test",
    flow: createFlow(createMetrics()),
    log: silentLog,
    metrics,
  });
  const fenced = async () =>
    (await metrics.registry.getSingleMetric("kenri_notifications_fenced_total")!.get()).values.reduce((sum, { value }) => sum + value, 0);
  return { asked, fenced, runOnce };
}

/** Consumes versions 1 to `count` of one aggregate of a user. */
const takeIn = (user: string, count = 1) => {
  const versions = Array.from({ length: count }, (_, index) => index + 1);
  return acceptArrivals(sql, {
    event_id: versions.map(() => crypto.randomUUID()),
    event_type: versions.map(() => "EntitlementGranted"),
    aggregate_key: versions.map(() => `${user}:item`),
    aggregate_version: versions,
    stream_seq: versions,
    user_id: versions.map(() => user),
    payload: versions.map(() => ({})),
    traceparent: versions.map(() => "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
    through: new Map(),
    channel: "odd",
    worker: "test",
    deliver: false,
  });
};

const rows = () =>
  pool`select user_id, aggregate_version as version, status, attempt_count as attempts, last_error from notifications order by user_id, aggregate_version`;
/** Makes time pass: retries are due and leases have expired. */
const timePasses = async () => {
  await pool`update notifications set next_retry_at = now() - interval '1 second' where status = 'PENDING'`;
  await sql.notifications.reclaim({ limit: 100, from: "-infinity" });
};

test("a channel that never answers costs an attempt at its deadline, and other notifications are sent", async () => {
  await Promise.all([takeIn("hangs"), takeIn("fine")]);
  const { runOnce } = senderOver(async user => (user === "hangs" ? new Promise<never>(() => {}) : { outcome: "sent" }));
  await runOnce();
  expect([...(await rows())]).toEqual([
    { user_id: "fine", version: 1, status: "SENT", attempts: 1, last_error: null },
    { user_id: "hangs", version: 1, status: "PENDING", attempts: 1, last_error: "channel odd did not answer within 500 ms" },
  ]);
});

test.each([
  ["rejects", () => Promise.reject(new Error("no route"))],
  [
    "throws at once",
    (): never => {
      throw new Error("no route");
    },
  ],
])("a channel that %s costs an attempt, and other notifications are sent", async (_, break_) => {
  await Promise.all([takeIn("broken"), takeIn("fine")]);
  const { runOnce } = senderOver(user => (user === "broken" ? break_() : Promise.resolve({ outcome: "sent" })));
  await runOnce();
  expect((await rows()).map(row => [row.user_id, row.status, row.last_error])).toEqual([
    ["broken", "PENDING", "no route"],
    ["fine", "SENT", null],
  ]);
});

test("an error text that the database cannot store is stored as far as possible", async () => {
  await takeIn("odd");
  const { runOnce } = senderOver(async () => ({ outcome: "retry", error: "answered a\0b" }));
  await runOnce();
  expect((await rows())[0]).toMatchObject({ status: "PENDING", attempts: 1, last_error: "answered a\uFFFDb" });
});

test("a run that takes longer than the lease is sent in several claims, in order, each once; nothing is fenced or charged", async () => {
  await takeIn("slow", 6);
  const { runOnce, asked, fenced } = senderOver(() => Bun.sleep(300).then(() => ({ outcome: "sent" })));
  let runs = 0;
  await until("all are sent", 10_000, async () => {
    runs++;
    return (await runOnce()) === 0;
  });
  expect(runs).toBeGreaterThan(2);
  expect(asked).toEqual([1, 2, 3, 4, 5, 6].map(version => `slow v${version}`));
  expect((await rows()).map(row => [row.status, row.attempts])).toEqual([1, 2, 3, 4, 5, 6].map(() => ["SENT", 1]));
  expect(await fenced()).toBe(0);
});

test("a channel that fails nine times in ten: versions of an aggregate are sent in order, and every try is one attempt row", async () => {
  await Promise.all(["a", "b", "c"].map(user => takeIn(user, 5)));
  const sent: string[] = [];
  const { runOnce, asked } = senderOver(
    async (user, version, time) => {
      if (time < 10) return { outcome: "retry", error: "busy" };
      sent.push(`${user} v${version}`);
      return { outcome: "sent" };
    },
    { maxAttempts: 20 },
  );
  await until(
    "all are sent",
    20_000,
    async () => {
      await runOnce();
      await timePasses();
      return (await rows()).every(row => row.status === "SENT");
    },
    1,
  );
  for (const user of ["a", "b", "c"])
    expect(sent.filter(one => one.startsWith(user))).toEqual([1, 2, 3, 4, 5].map(version => `${user} v${version}`));
  expect(await pool`select from delivery_attempts`).toHaveLength(asked.length);
  expect(asked).toHaveLength(150);
});

test("a send that ends after the lease settles nothing", async () => {
  await takeIn("late");
  const other = senderOver(async () => ({ outcome: "sent" }));
  const { runOnce, fenced } = senderOver(async () => {
    await pool`update notifications set lease_until = now() - interval '1 second'`;
    await timePasses();
    await other.runOnce();
    return { outcome: "retry", error: "too late to say so" };
  });
  await runOnce();
  expect(await fenced()).toBe(1);
  expect((await rows())[0]).toMatchObject({ status: "SENT", attempts: 1, last_error: null });
});
