import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { outboxRows } from "../../entitlement/operator/row_kind.ts";
import { notificationRows } from "../../notification/operator/row_kind.ts";
import { orderRows } from "../../orders/operator/row_kind.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { type OperatorRow, putEvent, putNotification, putOrder } from "../../testing/operator_rows.ts";
import { highestUuid } from "../http/cursor.ts";
import { connect, type Sql } from "../postgres/database.ts";
import { bindStatements, readStatements, type Statement } from "../postgres/statements.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { type Filter, filterFields, filterOf } from "./filter.ts";
import type { ListSql } from "./list_routes.ts";
import { countLimits, groupLimits } from "./read_limits.ts";
import { actionNames, eligibleState, idOf, isEligible, listedStates, typeNames } from "./row_kind.ts";

type Preview = (parameters: Filter & { action: string }) => Promise<{ eligible: number; set_hash: string }[]>;
type Listed = Readonly<Record<string, unknown>> & { readonly status: string; readonly matches: boolean };

const fingerprint = "connect to <text> refused";
const rows: OperatorRow[] = (["waiting", "busy", "done", "failed"] as const).flatMap(state =>
  ["alice", "a", "a:b"].flatMap((user, n) => [
    { state, user, error: `connect to "h${n}" refused`, attempts: 1 + 3 * n, minutes: 90 - 10 * n },
    { state, user, type: "EntitlementRevoked" as const, error: "no answer in 5 s", attempts: 4, minutes: 60 - 10 * n },
    { state, user, minutes: 20 - 5 * n, ...(state === "failed" ? { error: "REFUSED by the channel", attempts: 2 } : {}) },
  ]),
);

/** Every combination of these values. */
function grid(statuses: readonly string[], type: string): Filter[] {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const values: { readonly [name in keyof Filter]: readonly (Filter[name] | null)[] } = {
    status: [null, ...statuses],
    type: [null, type],
    user_id: [null, "a", "nobody"],
    error: [null, "Refused"],
    fingerprint: [null, fingerprint],
    min_attempts: [null, 3],
    created_from: [null, ago(65)],
    created_to: [null, ago(35)],
  };
  return filterFields.reduce<object[]>(
    (made, name) => made.flatMap(one => values[name].map(value => ({ ...one, [name]: value }))),
    [{}],
  ) as Filter[];
}

/** As SQL's set_hash names a set. */
const hashOf = (ids: readonly string[]) => new Bun.CryptoHasher("sha256").update(ids.toSorted().join(",")).digest("hex");

const kinds = [
  { kind: outboxRows, put: putEvent },
  { kind: notificationRows, put: putNotification },
  { kind: orderRows, put: putOrder },
] as const;

describe.each(kinds)("the filter of $kind.name", ({ kind, put }) => {
  let database: TestDatabase;
  let admin: Sql;
  let list: ListSql;
  let preview: Preview;
  const calls: Statement[] = readStatements([kind.system]).filter(({ text }) => /matches_filter|_bulk_rows/.test(text));
  beforeAll(async () => {
    database = await testDatabase(kind.system);
    admin = connect({ url: database.adminUrl, name: "test", max: 4, statementTimeout: 5000 });
    const sql = bindStatements<Record<string, ListSql> & { bulk: { preview: Preview } }>(
      admin,
      readStatements([kind.system]),
      createMetrics(),
      5000,
    );
    [list, preview] = [sql[kind.name]!, sql.bulk.preview];
    for (const row of rows) await put(admin, row);
  });
  afterAll(async () => {
    await admin.end();
    await database.drop();
  });

  test("selects the same rows in a list, in a count, in the groups and for a bulk action", async () => {
    let found = 0;
    const scan = 1000;
    for (const filter of grid(listedStates(kind), typeNames(kind)[1]!)) {
      const page = (await list.page({ ...filter, before_id: highestUuid, limit: scan, scan })) as unknown as Listed[];
      const listed = page.filter(({ matches }) => matches);
      for (const action of actionNames(kind)) {
        const eligible = listed.filter(row =>
          isEligible(kind, action, { status: row.status, attempts: Number(row[kind.columns.attempts]) }),
        );
        const [bulk] = await preview({ ...filter, action });
        expect({ filter, action, eligible: bulk!.eligible, set_hash: bulk!.set_hash }).toEqual({
          filter,
          action,
          eligible: eligible.length,
          set_hash: hashOf(eligible.map(row => idOf(kind, row))),
        });
        found += eligible.length;
      }
      if (filter.status === null) continue;
      const [counted] = await list.counts({ ...filter, status: [filter.status], ...countLimits(filter) });
      expect({ filter, count: counted!.count }).toEqual({ filter, count: listed.length });
      const groups =
        filter.status === eligibleState(kind, "requeue").name
          ? list.groups
          : filter.status === eligibleState(kind, "retry").name
            ? list.groups_retrying
            : undefined;
      if (!groups) continue;
      const grouped = (await groups({ ...filter, ...groupLimits(filter) })).reduce((sum, { count }) => sum + count, 0);
      expect({ filter, grouped }).toEqual({ filter, grouped: listed.length });
    }
    expect(found).toBeGreaterThan(500); // the grid is no grid of empty sets
  });

  test("is inlined into every statement: no plan calls a function for it", async () => {
    expect(calls.length).toBeGreaterThan(10);
    for (const { file, text } of calls) {
      const plan = (await admin.unsafe(`explain (generic_plan, verbose) ${text}`)).map(row => row["QUERY PLAN"]).join("\n");
      expect({ file, calls: plan.match(/\w*(matches_filter|_bulk_rows)\w*/g) }).toEqual({ file, calls: null });
    }
  });

  test("takes its fields in the declared order, whichever a statement has", () => {
    for (const { file, text, parameters } of calls) {
      const names = parameters.map(({ name }) => name).filter(name => (filterFields as readonly string[]).includes(name));
      expect({ file, names }).toEqual({ file, names: filterFields.filter(name => names.includes(name)) as string[] });
      const [, before, given] = /(?:matches_filter\(|_bulk_rows\((\$\d+::text), )(.*)/s.exec(text)!;
      const passed = given!.split(",").slice(0, filterFields.length);
      const fields = passed.map(value => parameters[Number(/\$(\d+)/.exec(value)?.[1] ?? 0) - 1]?.name ?? null);
      fields.forEach((field, n) => {
        expect({ file, field: field ?? filterFields[n] }).toEqual({ file, field: filterFields[n] });
      });
      if (before) expect(parameters[Number(before.slice(1).split(":")[0]) - 1]!.name).toBe("action");
    }
  });
});

test("a filter has all its fields, those that are not given as null", () => {
  expect(filterOf({ min_attempts: "3", user_id: "a" })).toEqual({
    status: null,
    type: null,
    user_id: "a",
    error: null,
    fingerprint: null,
    min_attempts: 3,
    created_from: null,
    created_to: null,
  });
});
