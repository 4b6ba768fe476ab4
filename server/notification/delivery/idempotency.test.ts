import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { faults } from "../../kernel/life/fault.ts";
import { createFlow } from "../../kernel/operator/flow.ts";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { notifications } from "../../testing/notification_rows.ts";
import { quoted } from "../../testing/rows.ts";
import { testSender } from "../../testing/sender.ts";
import type { NotificationSql, NotificationsClaimRow } from "../sql.gen.ts";
import type { Channel, Sending } from "./channels.ts";
import { byBusinessKey, byMessageId, byRequestId, idempotencyChecker, once } from "./idempotency.ts";

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
  await pool`delete from processed_messages`;
  await pool`delete from notifications`;
});

const message = { id: "m1", type: "EntitlementGranted" };
const checker = (ttlSeconds = 60) => idempotencyChecker(sql.processed_messages, ttlSeconds);
const rowOf = async (key: string) =>
  (
    await pool`select status, error, message_id, message_type, completed_at is not null as completed from processed_messages where idempotency_key = ${key}`
  )[0];
const expire = (key: string, ago = "1 second") =>
  pool`update processed_messages set expires_at = now() - ${ago}::interval where idempotency_key = ${key}`;

describe("the checker", () => {
  test("finds no send for a new key", async () => {
    expect(await checker().isProcessed("new")).toBe(false);
  });

  test("counts only a completed send as done", async () => {
    const one = checker();
    expect(await one.markProcessing("k", message)).toBe(true);
    expect(await one.isProcessed("k")).toBe(false);
    await one.markCompleted("k");
    expect(await one.isProcessed("k")).toBe(true);
    expect(await one.markProcessing("k", message)).toBe(false);
    expect(await rowOf("k")).toEqual({
      status: "completed",
      error: null,
      message_id: "m1",
      message_type: "EntitlementGranted",
      completed: true,
    });
  });

  test("allows another try of a failed or interrupted send, and keeps the error until then", async () => {
    const one = checker();
    await one.markProcessing("k", message);
    await one.markFailed("k", "no route");
    expect(await rowOf("k")).toMatchObject({ status: "failed", error: "no route" });
    expect([await one.isProcessed("k"), await one.markProcessing("k", message)]).toEqual([false, true]);
    expect(await rowOf("k")).toMatchObject({ status: "processing", error: null });
    expect(await one.markProcessing("k", message)).toBe(true);
  });

  test("keeps a send completed if another worker reports a failure at the same time", async () => {
    const [one, two] = [checker(), checker()];
    await Promise.all([one.markProcessing("k", message), two.markProcessing("k", message)]);
    await one.markCompleted("k");
    await two.markFailed("k", "too late");
    expect(await rowOf("k")).toMatchObject({ status: "completed", error: null });
  });

  test("does not count a send after its expiry", async () => {
    const one = checker(0.05);
    await one.markProcessing("k", message);
    await one.markCompleted("k");
    await until("it is forgotten", 2000, async () => !(await one.isProcessed("k")));
    expect(await one.markProcessing("k", message)).toBe(true);
    expect(await rowOf("k")).toMatchObject({ status: "processing", completed: false });
  });

  test("is cleaned up some time after expiry, in batches, and not before", async () => {
    for (const key of ["a", "b", "c", "young", "live"]) await checker().markProcessing(key, message);
    for (const key of ["a", "b", "c"]) await expire(key, "8 days");
    await expire("young", "6 days");
    const clean = async () => (await sql.processed_messages.cleanup({ keep_seconds: 7 * 86_400, limit: 2 })).length;
    expect([await clean(), await clean(), await clean()]).toEqual([2, 1, 0]);
    expect((await pool`select idempotency_key from processed_messages order by 1`).map(row => row.idempotency_key)).toEqual([
      "live",
      "young",
    ]);
  });
});

describe("a key", () => {
  const notification = (fields: Partial<NotificationsClaimRow>) =>
    ({
      notification_id: "n1",
      event_id: "e1",
      user_id: "alice",
      type: "EntitlementGranted",
      channel: "webhook",
      payload: {},
      ...fields,
    }) as NotificationsClaimRow;

  test("by message id is one for each notification and channel", () => {
    expect(byMessageId(notification({}))).toBe(byMessageId(notification({ user_id: "other" })));
    expect(byMessageId(notification({}))).not.toBe(byMessageId(notification({ notification_id: "n2" })));
    expect(byMessageId(notification({}))).not.toBe(byMessageId(notification({ channel: "stream" })));
  });

  test("by business key is one for each fact, however many messages report it", () => {
    const keyOf = byBusinessKey(({ user_id, payload }) => [user_id, String((payload as { sku?: string }).sku)]);
    const first = keyOf(notification({ payload: { sku: "a" } }));
    expect(keyOf(notification({ notification_id: "n2", payload: { sku: "a" } }))).toBe(first);
    expect(keyOf(notification({ payload: { sku: "b" } }))).not.toBe(first);
    expect(keyOf(notification({ type: "EntitlementRevoked", payload: { sku: "a" } }))).not.toBe(first);
    const joined = byBusinessKey(({ user_id, channel }) => [user_id, channel]);
    expect(joined(notification({ user_id: "a:b", channel: "c" }))).not.toBe(joined(notification({ user_id: "a", channel: "b:c" })));
  });

  test("by request id is the id of the external system, and the message id if there is none", () => {
    const keyOf = byRequestId(({ payload }) => (payload as { request_id?: string }).request_id);
    expect(keyOf(notification({ payload: { request_id: "r1" } }))).toBe("request:r1");
    expect(keyOf(notification({}))).toBe(byMessageId(notification({})));
    expect(keyOf(notification({ payload: { request_id: "" } }))).toBe(byMessageId(notification({})));
  });

  test("fits its column, and two long ids that begin alike stay two", async () => {
    const keyOf = byRequestId(({ user_id }) => user_id);
    const [one, two] = ["1", "2"].map(end => keyOf(notification({ user_id: "x".repeat(300) + end })));
    expect(one).not.toBe(two);
    for (const key of [one!, two!, keyOf(notification({ user_id: "🎁".repeat(100) }))])
      expect(await checker().markProcessing(key, message)).toBe(true);
  });
});

/** Stands for the outside world: what it took counts, whatever Kenri knows of it. */
function outside(answer: () => Promise<Sending> = async () => ({ outcome: "sent" })) {
  const took: string[] = [];
  const channel: Channel = {
    name: "outside",
    async send({ notification_id }) {
      took.push(notification_id);
      return answer();
    },
  };
  return { took, channel };
}

describe("a sender whose channel leaves the process", () => {
  const lease = 1500;
  const runner = (channel: Channel, notifications = sql.notifications) =>
    testSender({
      notifications,
      channels: new Map([["outside", channel]]),
      faults: faults(),
      worker: "w",
      batch: 10,
      lease,
      sendWithin: 500,
      maxAttempts: 5,
      flow: createFlow(createMetrics()),
      log: silentLog,
      metrics: createMetrics(),
    });
  const run = (one: ReturnType<typeof runner>) => one();
  const append = async () => (await notifications.put(pool, { stock_keeping_unit: quoted(crypto.randomUUID()), channel: "'outside'" }))[0]!;
  const statusOf = async (id: string) => (await pool`select status from notifications where notification_id = ${id}`)[0]?.status;
  const afterTheLease = () =>
    until("the lease ran out", 3000, async () => (await sql.notifications.reclaim({ limit: 10, from: "-infinity" })).length > 0);

  test("that crashed after the send was completed settles it, and does not send again", async () => {
    const { took, channel } = outside();
    const id = await append();
    const dying = { ...sql.notifications, settle: () => Promise.reject(new Error("killed")) };
    expect(await run(runner(once(channel, checker()), dying)).catch(error => error.message)).toBe("killed");
    expect([took, await statusOf(id)]).toEqual([[id], "PROCESSING"]);
    await afterTheLease();
    await run(runner(once(channel, checker())));
    expect([took, await statusOf(id)]).toEqual([[id], "SENT"]);
  });

  test("that crashed before it recorded the completion sends again, with the same id", async () => {
    const { took, channel } = outside();
    const id = await append();
    const dying = { ...checker(), markCompleted: () => Promise.reject(new Error("killed")) };
    await run(runner(once(channel, dying), { ...sql.notifications, settle: () => Promise.reject(new Error("killed")) })).catch(() => {});
    await afterTheLease();
    await run(runner(once(channel, checker())));
    expect([took, await statusOf(id)]).toEqual([[id, id], "SENT"]);
  });

  test("that gave up waiting does not send again if the answer came later", async () => {
    let answer: (sending: Sending) => void = () => {};
    const { took, channel } = outside(() => new Promise(resolve => (answer = resolve)));
    const id = await append();
    await run(runner(once(channel, checker())));
    expect(await statusOf(id)).toBe("PENDING");
    answer({ outcome: "sent" });
    await until("the completion is noted", 2000, () => checker().isProcessed(`outside:${id}`));
    await pool`update notifications set next_retry_at = now() where notification_id = ${id}`;
    await run(runner(once(channel, checker())));
    expect([took, await statusOf(id)]).toEqual([[id], "SENT"]);
  });

  test.each([
    ["says so", async (): Promise<Sending> => ({ outcome: "retry", error: "busy" })],
    ["throws", () => Promise.reject(new Error("busy"))],
  ])("that fails and %s tries again, and the error is noted", async (_, fails) => {
    const answers = [fails, async (): Promise<Sending> => ({ outcome: "sent" })];
    const { took, channel } = outside(() => answers.shift()!());
    const id = await append();
    await run(runner(once(channel, checker())));
    expect(await rowOf(`outside:${id}`)).toMatchObject({ status: "failed", error: "busy" });
    await pool`update notifications set next_retry_at = now() where notification_id = ${id}`;
    await run(runner(once(channel, checker())));
    expect([took, await statusOf(id)]).toEqual([[id, id], "SENT"]);
  });
});
