import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../stack/wait.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { connect, isAway, type Sql, sqlState } from "./database.ts";
import { bindStatements, describeStatement, parseStatement, readStatements, sqlRoot } from "./statements.ts";

let database: TestDatabase;
let sql: Sql;
let root: string;
beforeAll(async () => {
  database = await testDatabase("entitlement");
  sql = connect({ url: database.appUrl, name: "test", max: 2, statementTimeout: 5000 });
  root = mkdtempSync(join(tmpdir(), "kenri-sql-"));
});
afterAll(async () => {
  await sql.end();
  await database.drop();
  rmSync(root, { recursive: true });
});

const statement = (text: string) => parseStatement("sql/shop/find.sql", ["find"], text);
const described = (text: string) => describeStatement(sql, statement(text)).catch(error => (error as Error).message);

describe("a statement's file", () => {
  test("says its parameters, which may be null, and its columns", () => {
    const { parameters, columns } = statement(
      "-- Finds.\n-- $1 user_id\n-- $2 after?: null = from the start\n-- returns sku, at?\nselect 1",
    );
    expect(parameters).toEqual([
      { name: "user_id", nullable: false },
      { name: "after", nullable: true },
    ]);
    expect(columns).toEqual([
      { name: "sku", nullable: false },
      { name: "at", nullable: true },
    ]);
  });

  test("whose parameters are out of order is refused with its name", () => {
    expect(() => statement("-- $2 b\n-- $1 a\nselect 1")).toThrow("sql/shop/find.sql: the header names $2 b at place 1");
  });

  test("is found in its folders, without the migrations", () => {
    const files = readStatements(["kernel", "entitlement"]).map(one => one.file);
    expect(files).toContain("sql/entitlement/outbox/claim.sql");
    expect(files).toContain("sql/rows/release.sql of sql/entitlement/outbox");
    expect(files).toContain("sql/kernel/api_keys/find.sql");
    expect(files.filter(file => file.includes("migrations"))).toEqual([]);
  });

  test("is documented: what it does, its parameters, what it returns", () => {
    for (const system of readdirSync(sqlRoot).filter(folder => folder !== "rows")) {
      for (const { file, text, columns } of readStatements([system])) {
        expect([file, text.split("\n")[0]]).toEqual([file, expect.stringMatching(/^-- [A-Z].*[.:,\w]$/)]);
        expect([file, columns.length]).not.toEqual([file, 0]);
      }
    }
  });
});

describe("a statement that does not fit the schema is refused with its file's name", () => {
  const cases: [name: string, text: string, message: string][] = [
    ["no such table", "-- returns a\nselect a from nothing", 'sql/shop/find.sql: relation "nothing" does not exist'],
    ["no such column", "-- returns nothing\nselect nothing from entitlements", 'sql/shop/find.sql: column "nothing" does not exist'],
    ["no SQL", "-- returns a\nselekt", 'sql/shop/find.sql: syntax error at or near "selekt"'],
    [
      "two statements",
      "-- returns a\nselect 1 as a; select 2 as a",
      "sql/shop/find.sql: cannot insert multiple commands into a prepared statement",
    ],
    [
      "a parameter too many",
      "-- $1 a\n-- $2 b\n-- returns c\nselect $1::text as c",
      "sql/shop/find.sql: the header names 2 parameters, the statement has 1",
    ],
    ["a parameter too few", "-- returns c\nselect $1::text as c", "sql/shop/find.sql: the header names 0 parameters, the statement has 1"],
    [
      "another column",
      "-- returns user\nselect user_id from entitlements",
      'sql/shop/find.sql: the header says it returns "user", the statement returns "user_id"',
    ],
    [
      "columns in another order",
      "-- returns b, a\nselect 1 as a, 2 as b",
      'sql/shop/find.sql: the header says it returns "b, a", the statement returns "a, b"',
    ],
  ];
  test.each(cases)("%s", async (_, text, message) => expect(await described(text)).toBe(message));

  test("one that fits is described and not run", async () => {
    await described(
      "-- returns user_id\ninsert into entitlements select 'x', 'y', 'ACTIVE', 1, now(), null, 's', 's', now() returning user_id",
    );
    expect(await sql`select from entitlements`).toHaveLength(0);
  });
});

test("a database without a free connection is waited for: it says nothing about the file", async () => {
  const admin = connect({ url: database.adminUrl, name: "test", max: 1, statementTimeout: 5000 });
  const late = connect({ url: database.appUrl, name: "test", max: 1, statementTimeout: 5000 });
  await admin.unsafe(`alter database "${database.name}" connection limit 0`);
  const refused = await describeStatement(late, readStatements(["kernel"])[0]!).catch(error => error);
  await admin.unsafe(`alter database "${database.name}" connection limit -1`);
  expect([sqlState(refused), isAway(refused)]).toEqual(["53300", true]);
  await Promise.all([late.end(), admin.end()]);
});

test("a process whose files do not fit does not start, and says which file and why", async () => {
  cpSync(sqlRoot, join(root, "sql"), { recursive: true });
  cpSync(join(sqlRoot, "../server"), join(root, "server"), { recursive: true });
  cpSync(join(sqlRoot, "../package.json"), join(root, "package.json"));
  symlinkSync(join(sqlRoot, "../node_modules"), join(root, "node_modules"));
  writeFileSync(
    join(root, "sql/entitlement/list.sql"),
    "-- Lists.\n-- $1 user_id\n-- returns nothing\nselect nothing from entitlements where user_id = $1\n",
  );
  const child = Bun.spawn([process.execPath, "server/main.ts", "entitlement:api"], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? "",
      KENRI_ENV: "test",
      NATS_URL: "nats://127.0.0.1:1",
      ENTITLEMENT_APP_DATABASE_URL: database.appUrl,
      ENTITLEMENT_PORT: "0",
    },
    stdout: "ignore",
    stderr: "pipe",
  });
  expect(await new Response(child.stderr).text()).toContain(
    'kenri cannot start: sql/entitlement/list.sql: column "nothing" does not exist',
  );
  expect(await child.exited).toBe(1);
});

describe("a bound statement", () => {
  const bound = <T>(text: string, path = ["shop", "items", "find"]) =>
    bindStatements<T>(sql, [parseStatement("find.sql", path, text)], createMetrics(), 500);

  test("is a function in the shape of the folders, with its parameters by name", async () => {
    const { shop } = bound<{ shop: { items: { find(p: { b: string; a: string }): Promise<{ both: string }[]> } } }>(
      "-- $1 a\n-- $2 b\n-- returns both\nselect $1 || $2 as both",
    );
    expect([...(await shop.items.find({ b: "2", a: "1" }))]).toEqual([{ both: "12" }]);
  });

  test("takes arrays of every kind, empty ones, nulls and what SQL would choke on", async () => {
    const { all } = bound<{ all(p: Record<string, unknown>): Promise<Record<string, unknown>[]> }>(
      "-- $1 t\n-- $2 b\n-- $3 n\n-- $4 j\n-- returns t, b, n, j\nselect to_jsonb($1::text[]) as t, to_jsonb($2::boolean[]) as b, to_jsonb($3::float8[]) as n, to_jsonb($4::jsonb[]) as j",
      ["all"],
    );
    const values = {
      t: ["a", null, 'q"uo\\te', "{},", "", "NULL", "日本\n語"],
      b: [true, false, null],
      n: [1.5, null, -0.1],
      j: [{ a: "}" }, { b: [1, "\\"] }],
    };
    expect([...(await all(values))]).toEqual([values]);
    expect([...(await all({ t: [], b: [], n: [], j: [] }))]).toEqual([{ t: [], b: [], n: [], j: [] }]);
  });

  test("that cannot even be sent does not count as one under way for ever", async () => {
    const broken = {
      options: { max: 1 },
      unsafe() {
        throw new Error("thrown at once");
      },
    } as unknown as Sql;
    const statements = bindStatements<{ find(): Promise<unknown> }>(
      broken,
      [statement("-- returns a\nselect 1 as a")],
      createMetrics(),
      500,
    );
    const errors = new Set<string>();
    for (let call = 0; call < 300; call++) errors.add((await statements.find().catch((error: Error) => error.message)) as string);
    expect([...errors]).toEqual(["thrown at once"]);
  });

  test("that takes too long is given up, and the next one works", async () => {
    const { slow } = bound<{ slow(p: { seconds: number }): Promise<unknown[]> }>(
      "-- $1 seconds\n-- returns done\nselect pg_sleep($1::float8) is null as done",
      ["slow"],
    );
    expect(await slow({ seconds: 3 }).catch(error => error.name)).toBe("DeadlineError");
    expect(await slow({ seconds: 0 })).toHaveLength(1);
  });

  test("is sent only when a connection is free: not behind one that runs, and never when its caller has given up", async () => {
    const pool = connect({ url: database.adminUrl, name: "crowded", max: 2, statementTimeout: 5000 });
    await pool`create table if not exists sent (name text)`;
    const { slow, note } = bindStatements<{ slow(): Promise<unknown>; note(p: { name: string }): Promise<unknown> }>(
      pool,
      [
        parseStatement("slow.sql", ["slow"], "-- returns done\nselect pg_sleep(1.5) is null as done"),
        parseStatement("note.sql", ["note"], "-- $1 name\n-- returns name\ninsert into sent values ($1) returning name"),
      ],
      createMetrics(),
      300,
    );
    const [first, second] = [slow(), slow()].map(one => one.catch(isAway));
    const late = note({ name: "late" }).catch(isAway);
    expect(await Promise.all([first, second, late])).toEqual([true, true, true]);
    // Both connections are taken until the database has ended what nobody waits for.
    expect(await note({ name: "later" }).catch(isAway)).toBe(true);
    await until("a connection is free again", 5000, () =>
      note({ name: "last" }).then(
        () => true,
        () => false,
      ),
    );
    expect((await pool`select distinct name from sent`).map(row => row.name)).toEqual(["last"]);
    await pool.end();
  });
});

test("the use of a pool is measured exactly: connections in use, statements that wait, and the most", async () => {
  const metrics = createMetrics();
  const held = connect({ url: database.appUrl, name: "shop:api@host/1/ab operators", max: 2, statementTimeout: 5000 });
  const { sleep } = bindStatements<{ sleep: (given: { seconds: number }) => Promise<unknown> }>(
    held,
    [parseStatement("sql/shop/sleep.sql", ["sleep"], "-- $1 seconds\nselect pg_sleep($1)")],
    metrics,
    5000,
  );
  const use = async () => {
    const text = await metrics.registry.metrics();
    const of = (name: string) => Number(new RegExp(`^kenri_pool_${name}{pool="shop:api operators"} (\\d+)$`, "m").exec(text)?.[1]);
    return [of("connections_used"), of("waiting"), of("connections_max")];
  };
  expect(await use()).toEqual([0, 0, 2]);
  const running = Promise.all([0.5, 0.5, 0.1, 0.1, 0.1].map(seconds => sleep({ seconds })));
  await until("two run and three wait", 5000, async () => Bun.deepEquals(await use(), [2, 3, 2]));
  await running;
  expect(await use()).toEqual([0, 0, 2]);
  await held.end();
});
