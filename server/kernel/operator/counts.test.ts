import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { type OperatorRow, putEvent, putNotification, putOrder } from "../../testing/operator_rows.ts";
import { connect, type Sql } from "../postgres/database.ts";
import { bindStatements, readStatements } from "../postgres/statements.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { filterOf } from "./filter.ts";
import type { CountRow } from "./list_routes.ts";
import { countLimits } from "./read_limits.ts";

interface Counting {
  counts(parameters: object): Promise<CountRow[]>;
  counts_all(parameters: { most: number; scan_all: number }): Promise<CountRow[]>;
}

const systems = [
  {
    system: "entitlement",
    list: "outbox",
    put: putEvent,
    statuses: ["PENDING", "IN_FLIGHT", "PUBLISHED", "FAILED", "UNCONFIRMED", "RETRYING"],
  },
  {
    system: "notification",
    list: "notifications",
    put: putNotification,
    statuses: ["PENDING", "PROCESSING", "SENT", "FAILED", "RETRYING"],
  },
  {
    system: "orders",
    list: "orders",
    put: putOrder,
    statuses: ["pending", "sending", "succeeded", "aborted", "failed"],
  },
] as const;

describe.each(systems)("all rows of $system", ({ system, list, put, statuses }) => {
  let database: TestDatabase;
  let admin: Sql;
  let sql: Counting;
  const said = async (most: number, scan_all: number) =>
    Object.fromEntries((await sql.counts_all({ most, scan_all })).map(({ status, count, more }) => [status, `${count}${more ? "+" : ""}`]));
  const add = async (state: OperatorRow["state"], count: number, minutes: number, more: Partial<OperatorRow> = {}) => {
    for (let n = 0; n < count; n++) await put(admin, { state, user: `u${n}`, minutes, ...more });
  };
  beforeAll(async () => {
    database = await testDatabase(system);
    admin = connect({ url: database.adminUrl, name: "test", max: 2, statementTimeout: 5000 });
    const files = readStatements([system]);
    sql = bindStatements<Record<string, Counting>>(admin, files, createMetrics(), 5000)[list]!;
    await add("done", 6, 60);
    await add("failed", 2, 40, { error: "e" });
    await add("busy", 1, 30, { error: "e", attempts: 1 });
    await add("waiting", 2, 20);
    await add("waiting", 2, 10, { error: "e", attempts: 1 });
    if (list === "outbox") await admin`update outbox_events set confirmed_at = now() where status = 'PUBLISHED'`;
  });
  afterAll(async () => {
    await admin.end();
    await database.drop();
  });
  const [waiting, busy, done, failed] = statuses;
  const retrying = statuses.at(-1)!;
  // A table that stores its retrying rows does not count them as waiting too.
  const allWaiting = list === "orders" ? 2 : 4;
  const unconfirmed = (said: string): Record<string, string> => (list === "outbox" ? { UNCONFIRMED: said } : {});

  test("have the same counts as with a filter that matches all", async () => {
    const filter = filterOf({});
    const counted = await sql.counts({ ...filter, status: [...statuses], ...countLimits(filter) });
    expect(await sql.counts_all({ ...countLimits(filter) })).toEqual([...counted]);
    expect(await said(100, 100)).toEqual({
      [waiting]: `${allWaiting}`,
      [busy]: "1",
      [done]: "6",
      [failed]: "2",
      ...unconfirmed("0"),
      [retrying]: "2",
    });
  });

  test("are counted up to the limit, and one more shows that there are more", async () => {
    expect(await said(4, 100)).toEqual({
      [waiting]: `${allWaiting}`,
      [busy]: "1",
      [done]: "4+",
      [failed]: "2",
      ...unconfirmed("0"),
      [retrying]: "2",
    });
    expect(await said(1, 100)).toEqual({
      [waiting]: "1+",
      [busy]: "1",
      [done]: "1+",
      [failed]: "1+",
      ...unconfirmed("0"),
      [retrying]: "1+",
    });
  });

  test("done rows behind a backlog are counted as far as they were examined, with `more`", async () => {
    expect((await said(100, 9))[done]).toBe(list === "outbox" ? "2+" : "6");
    if (list !== "outbox") return;
    await admin`update outbox_events set confirmed_at = null where status = 'PUBLISHED'`;
    expect(await said(100, 9)).toMatchObject({ PUBLISHED: "6+", UNCONFIRMED: "6" });
    expect(await said(5, 9)).toMatchObject({ PUBLISHED: "5+", UNCONFIRMED: "5+" });
  });
});
