import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { until } from "../../../stack/wait.ts";
import { freshDatabase, type TestDatabase } from "../../testing/databases.ts";
import { startProcess, type TestProcess } from "../../testing/process.ts";
import type { Sql } from "./database.ts";
import { type Migration, migrate, missingMigrations, readMigrations } from "./migrations.ts";

let database: TestDatabase;
let owner: postgres.Sql;
beforeAll(async () => {
  database = await freshDatabase("entitlement", undefined, false);
  owner = postgres(database.ownerUrl, { max: 4, onnotice: () => {} });
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

const known = readMigrations("entitlement");
const names = known.map(migration => migration.name);
const made = (name: string, text: string): Migration => ({
  name: `entitlement/${name}.sql`,
  text,
  checksum: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
});
const run = (migrations: Migration[], lockTimeout = 3000) =>
  migrate({ system: "entitlement", ownerUrl: database.ownerUrl, migrations, lockTimeout });

describe("before the migrations", () => {
  let server: TestProcess;
  let url: string;
  let health: string;
  beforeAll(async () => {
    server = startProcess("entitlement:api", {
      KENRI_ENV: "test",
      NATS_URL: "nats://127.0.0.1:1",
      ENTITLEMENT_APP_DATABASE_URL: database.appUrl,
      ENTITLEMENT_PORT: "0",
      HEALTH_PORT: "0",
      SHUTDOWN_NOTICE: "0ms",
    });
    url = JSON.parse(await server.logged("http.listening")).url;
    health = await server.healthUrl();
  });
  afterAll(() => server.stop());

  test("a service is alive, but not ready, says what it waits for, and takes no request", async () => {
    await until("it says so", 5000, async () => (await (await fetch(`${health}/readyz`)).text()).includes("migrations are missing"));
    const ready = await fetch(`${health}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({
      status: "starting",
      waiting_for: expect.stringContaining("bun server/main.ts entitlement:migrate"),
    });
    const bare = await fetch(`${url}/readyz`);
    expect([bare.status, await bare.json()]).toEqual([503, { status: "starting" }]);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const refused = await fetch(`${url}/v1/users/alice/entitlements`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("two migrators at once apply each file once, and the waiting service, which asks at any moment, becomes ready by itself", async () => {
    // The first migrator rests between its table and the right to read it, for longer than the service waits to ask again.
    const admin = postgres(database.adminUrl, { max: 1, onnotice: () => {} });
    await admin.unsafe(`
      create sequence grants;
      grant usage on sequence grants to public;
      create function rest() returns event_trigger language plpgsql as 'begin if nextval(''grants'') = 1 then perform pg_sleep(1); end if; end';
      create event trigger rest on ddl_command_start when tag in ('GRANT') execute function rest();`);
    const applied = await Promise.all([run(known), run(known), run(known)]);
    expect(applied.flat().toSorted()).toEqual(names.toSorted());
    expect((await owner`select name from schema_migrations order by applied_at`).map(row => row.name)).toEqual(names);
    await until("the service is ready", 10_000, async () => (await fetch(`${url}/readyz`)).status === 200);
    expect((await fetch(`${url}/v1/users/alice/entitlements`)).status).toBe(401);
    await admin.unsafe("drop event trigger rest; drop function rest; drop sequence grants");
    await admin.end();
  });
});

test("nothing is missing and nothing is applied twice once all are applied", async () => {
  expect(await missingMigrations(owner as unknown as Sql, "entitlement")).toEqual([]);
  expect(await run(known)).toEqual([]);
});

test("a file that was edited after it was applied is refused by name, before anything else is applied", async () => {
  const edited = known.map((migration, n) => (n === 1 ? { ...migration, checksum: "0".repeat(64) } : migration));
  expect(await run([...edited, made("0900_more", "create table more (a int)")]).catch(error => error.message)).toContain(
    `applied migrations were edited: ${names[1]}`,
  );
  expect((await owner`select to_regclass('more') as there`)[0]?.there).toBeNull();
});

test("a file that fails leaves nothing of itself, keeps those before it, and names itself", async () => {
  const good = made("0901_good", "create table good (a int)");
  const bad = made("0902_bad", "create table half (a int); insert into half values ('x')");
  expect(await run([...known, good, bad]).catch(error => error.message)).toBe(
    'migration entitlement/0902_bad.sql failed: invalid input syntax for type integer: "x"',
  );
  expect((await owner`select to_regclass('good')::text as good, to_regclass('half')::text as half`)[0]).toEqual({
    good: "good",
    half: null,
  });
  expect(await run([...known, good, made("0902_bad", "create table half (a int)")])).toEqual(["entitlement/0902_bad.sql"]);
});

test("one that meets a long transaction gives way to the traffic behind it, comes again, and gets through when it ends", async () => {
  const reader = await owner.reserve();
  await reader`begin`;
  await reader`select count(*) from entitlements`;
  let done = false;
  const migrating = run([...known, made("0903_wide", "alter table entitlements add column wide int")], 100).finally(() => (done = true));
  const waiting = async () =>
    (await owner`select from pg_locks where not granted and mode = 'AccessExclusiveLock' and relation = 'entitlements'::regclass`).length >
    0;
  await until("the migration waits for its lock", 5000, waiting, 1);
  const since = performance.now();
  for (let n = 0; n < 20; n++) await owner`select from entitlements where user_id = 'alice'`;
  expect(performance.now() - since).toBeLessThan(2000);
  await until("it gave way", 5000, async () => !(await waiting()), 1);
  expect(done).toBe(false);
  await until("it came again", 5000, waiting, 1);
  await reader`rollback`;
  reader.release();
  expect(await migrating).toEqual(["entitlement/0903_wide.sql"]);
});

test("a database that is further than the code is not too old for it", async () => {
  expect(await missingMigrations(owner as unknown as Sql, "entitlement")).toEqual([]);
});
