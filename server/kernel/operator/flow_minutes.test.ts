import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { EntitlementSql } from "../../entitlement/sql.gen.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { connect, type Sql } from "../postgres/database.ts";
import { bindStatements, readStatements } from "../postgres/statements.ts";
import { createMetrics } from "../telemetry/metrics.ts";

let database: TestDatabase;
let pool: Sql;
let flow: EntitlementSql["flow"];
beforeAll(async () => {
  database = await testDatabase("entitlement");
  pool = connect({ url: database.appUrl, name: "test", max: 8, statementTimeout: 10_000 });
  flow = bindStatements<EntitlementSql>(pool, readStatements(["kernel", "entitlement"]), createMetrics(), 10_000).flow;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const untimed = (many: number) => ({ slowest_id: Array(many).fill(null), slowest_ms: Array(many).fill(null) });
const rowOf = async (minute: number, step: string) =>
  (await pool`select count, buckets from flow_minutes where minute = ${at(minute)} and step = ${step}`)[0];

test("what several workers counted is one row, bucket by bucket, however many buckets each has", async () => {
  const add = (count: number, buckets: string) =>
    flow.add({ minute: [at(0)], step: ["sent"], count: [count], buckets: [buckets], ...untimed(1) });
  await add(2, "{1,1}");
  await add(1, "{0,0,0,1}");
  await add(3, "{}");
  expect(await rowOf(0, "sent")).toEqual({ count: 6, buckets: [1, 1, 0, 1] });
});

test("the slowest event of all workers is kept with its time, and is the answer for its step", async () => {
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
  const add = (slowest_id: string | null, slowest_ms: number | null) =>
    flow.add({ minute: [minute], step: ["settled"], count: [1], buckets: ["{}"], slowest_id: [slowest_id], slowest_ms: [slowest_ms] });
  await add(null, null);
  await Promise.all([add("quick", 0), add("slow", 70_000), add("middling", 400)]);
  await add(null, null);
  await add("same", 70_000);
  expect(await flow.slowest({ minutes: 5 })).toEqual([{ step: "settled", id: "slow", took_ms: 70_000, minute: expect.any(String) }]);
  expect(await add("no time", null).catch(error => (error as { code: string }).code)).toBe("23514");
  await pool`delete from flow_minutes where step = 'settled'`;
});

test("workers that add to the same minutes at once lose nothing and do not deadlock", async () => {
  const steps = ["changed", "published", "failed", "sent"];
  const add = (round: number) => {
    const order = round % 2 === 0 ? steps : steps.toReversed();
    return flow.add({
      minute: order.map(() => at(1)),
      step: order,
      count: order.map(() => 2),
      buckets: order.map(() => "{1,0,1}"),
      ...untimed(order.length),
    });
  };
  await Promise.all(Array.from({ length: 200 }, (_, round) => add(round)));
  for (const step of steps) expect(await rowOf(1, step)).toEqual({ count: 400, buckets: [200, 0, 200] });
});

test.each([
  ["a time within a minute", "2026-01-01T00:00:30Z", "sent", 1],
  ["a step that is no name", "2026-01-01T00:00:00Z", "Sent; --", 1],
  ["less than nothing", "2026-01-01T00:05:00Z", "sent", -1],
])("%s is refused by the table", async (_, minute, step, count) => {
  const added = flow.add({ minute: [minute], step: [step], count: [count], buckets: ["{}"], ...untimed(1) });
  expect(
    await added.then(
      () => "",
      error => (error as { code: string }).code,
    ),
  ).toBe("23514");
});

describe("with two months of minutes", () => {
  const admin = () => connect({ url: database.adminUrl, name: "admin", max: 1, statementTimeout: 60_000 });

  test("a day is read by the index, minute by minute", async () => {
    const owner = admin();
    await owner`insert into flow_minutes (minute, step, count, buckets)
      select m, step, 100, array_fill(2, array[50])
      from generate_series(date_trunc('minute', now()) - interval '60 days', now() + interval '10 minutes', interval '1 minute') m, unnest(array['changed', 'published', 'failed']) step`;
    await owner`analyze flow_minutes`;
    await owner.end();
    for (const name of ["flow.series", "flow.slowest"]) {
      const statement = readStatements(["kernel"]).find(({ path }) => path.join(".") === name)!;
      const plan = (await pool.unsafe(`explain (generic_plan) ${statement.text}`)).map(row => row["QUERY PLAN"]).join("\n");
      expect(plan).toMatch(/Index Scan (using|on) flow_minutes_pkey/);
      expect(plan).not.toContain("Seq Scan");
    }
    expect((await flow.series({ minutes: 1440 })).length).toBe(1440 * 3);
  });

  test("old minutes are deleted batch by batch, the oldest first", async () => {
    const before = Number((await pool`select count(*) from flow_minutes`)[0]!.count);
    const gone = await flow.cleanup({ retention_seconds: 7 * 86_400, limit: 500 });
    expect(gone.length).toBe(500);
    expect(Number((await pool`select count(*) from flow_minutes`)[0]!.count)).toBe(before - 500);
  });
});
