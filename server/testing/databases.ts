import postgres from "postgres";
import { migrate } from "../kernel/postgres/migrations.ts";

export interface TestDatabase {
  readonly name: string;
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly adminUrl: string;
  drop(): Promise<void>;
}

const onServer = (adminUrl: string, database: string, user?: string) => {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  if (user) {
    url.username = user;
    url.password = password;
  }
  return url.toString();
};

// The roles of test databases; the server is a private one on loopback.
const password = "only-for-tests";

async function asAdmin<T>(adminUrl: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

async function ensureRoles(sql: postgres.Sql, system: string): Promise<void> {
  for (const role of [`${system}_owner`, `${system}_app`]) {
    await sql.unsafe(
      `do $$ begin create role ${role} login password '${password}'; exception when duplicate_object or unique_violation then null; end $$`,
    );
  }
}

/** A new database, migrated step by step, not from a template. */
export async function freshDatabase(system: string, adminUrl = testServer(), migrated = true): Promise<TestDatabase> {
  const name = `${system}_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  await asAdmin(adminUrl, async sql => {
    await ensureRoles(sql, system);
    await sql.unsafe(`create database ${name} owner ${system}_owner template template0 encoding 'UTF8'`);
  });
  const database = handle(name, system, adminUrl);
  if (migrated) await migrate({ system, ownerUrl: database.ownerUrl });
  return database;
}

/** A new database, cloned from a migrated template in a few milliseconds. */
export async function testDatabase(system: string, adminUrl = testServer()): Promise<TestDatabase> {
  const name = `${system}_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const template = `template_${system}`;
  await asAdmin(adminUrl, async sql => {
    await sql`select pg_advisory_lock(hashtextextended(${template}, 0))`;
    await ensureRoles(sql, system);
    const [there] = await sql`select from pg_database where datname = ${template} and datistemplate`;
    if (!there) {
      await sql.unsafe(`drop database if exists ${template} with (force)`);
      await sql.unsafe(`create database ${template} owner ${system}_owner template template0 encoding 'UTF8'`);
      await migrate({ system, ownerUrl: onServer(adminUrl, template, `${system}_owner`) });
      await sql.unsafe(`alter database ${template} is_template true`);
    }
    await sql.unsafe(`create database ${name} owner ${system}_owner template ${template} strategy file_copy`);
  });
  return handle(name, system, adminUrl);
}

const handle = (name: string, system: string, adminUrl: string): TestDatabase => ({
  name,
  ownerUrl: onServer(adminUrl, name, `${system}_owner`),
  appUrl: onServer(adminUrl, name, `${system}_app`),
  adminUrl: onServer(adminUrl, name),
  drop: () => asAdmin(adminUrl, async sql => void (await sql.unsafe(`drop database if exists ${name} with (force)`))),
});

/** Copies a database that no process uses. The returned function puts the copy in its place: the database is restored to that state. */
export async function copyDatabase({ name, adminUrl }: Pick<TestDatabase, "name" | "adminUrl">): Promise<() => Promise<void>> {
  const server = onServer(adminUrl, "postgres");
  const copy = `${name}_before`;
  // Connections of the tests; they connect again by themselves.
  const disconnect = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  await asAdmin(server, async sql => {
    await sql.unsafe(disconnect);
    const [was] = await sql`select pg_get_userbyid(datdba) as owner from pg_database where datname = ${name}`;
    await sql.unsafe(`create database ${copy} owner ${was!.owner} template ${name} strategy file_copy`);
  });
  return () =>
    asAdmin(server, async sql => {
      await sql.unsafe(`drop database ${name} with (force)`);
      await sql.unsafe(`alter database ${copy} rename to ${name}`);
    });
}

/** The server that `bun run test` started for all test files. */
export function testServer(): string {
  const url = process.env.KENRI_TEST_POSTGRES_URL;
  if (!url) throw new Error("no test servers: run the tests with `bun run test [files]`");
  return url;
}
