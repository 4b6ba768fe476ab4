import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import type { Sql } from "./database.ts";
import { databaseTarget } from "./database_url.ts";
import { sqlRoot } from "./statements.ts";

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

export function readMigrations(system: string, root = sqlRoot): Migration[] {
  return ["kernel", system].flatMap(folder =>
    readdirSync(join(root, folder, "migrations"))
      .sort()
      .map(file => {
        const text = readFileSync(join(root, folder, "migrations", file), "utf8");
        return { name: `${folder}/${file}`, text, checksum: new Bun.CryptoHasher("sha256").update(text).digest("hex") };
      }),
  );
}

export interface MigrateOptions {
  readonly system: string;
  readonly ownerUrl: string;
  readonly applied?: (name: string) => void;
  readonly migrations?: Migration[];
  /** How long a migration waits for a lock. Then it lets the traffic behind it pass, and is tried again. */
  readonly lockTimeout?: number;
}

/** Applies the missing migrations. One process at a time; an edited file is refused. Returns the names applied. */
export async function migrate({
  system,
  ownerUrl,
  applied: hasApplied = () => {},
  migrations = readMigrations(system),
  lockTimeout = 3000,
}: MigrateOptions): Promise<string[]> {
  const { url, ...tls } = databaseTarget(ownerUrl);
  const sql = postgres(url, {
    ...tls,
    max: 1,
    onnotice: () => {},
    connection: { application_name: `kenri ${system} migrate`, TimeZone: "UTC", lock_timeout: lockTimeout },
  });
  try {
    await alone(sql, system);
    // In one transaction: a service that waits for the table would fail if it could not read it yet.
    await sql.begin(async tx => {
      await tx`create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())`;
      await tx.unsafe(`grant select on schema_migrations to ${appRole(system)}`);
    });
    const applied = new Map(
      (await sql`select name, checksum from schema_migrations`).map(row => [row.name as string, row.checksum as string]),
    );
    refuseEdited(migrations, applied);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    for (const migration of missing) {
      await applyWithRetries(sql, system, migration);
      hasApplied(migration.name);
    }
    return missing.map(({ name }) => name);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const appRole = (system: string) => `"${system}_app"`;

async function alone(sql: postgres.Sql, system: string): Promise<void> {
  await sql`set lock_timeout = '120s'`;
  await sql`select pg_advisory_lock(hashtextextended(${`kenri migrate ${system}`}, 0))`;
  await sql`reset lock_timeout`;
}

function refuseEdited(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const edited = migrations.filter(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum).map(({ name }) => name);
  if (edited.length > 0)
    throw new Error(`applied migrations were edited: ${edited.join(", ")}; restore them and write a new migration instead`);
}

/** A migration that waits behind a long transaction leaves the lock queue, lets the traffic pass and is tried again. */
async function applyWithRetries(sql: postgres.Sql, system: string, { name, text, checksum }: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await sql.begin(async tx => {
        await tx.unsafe(text.replaceAll(':"app"', appRole(system))).simple();
        await tx`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`;
      });
      return;
    } catch (error) {
      const blocked = (error as { code?: string }).code === "55P03";
      if (!blocked || attempt === 20) throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
      await Bun.sleep(250);
    }
  }
}

/** The migrations that a service needs before it may report ready. */
export async function missingMigrations(sql: Sql, system: string): Promise<string[]> {
  const [known] = await sql`select to_regclass('schema_migrations') is not null as there`;
  const applied = known?.there ? await sql`select name, checksum from schema_migrations` : [];
  const found = new Set(applied.map(row => `${row.name} ${row.checksum}`));
  return readMigrations(system)
    .filter(({ name, checksum }) => !found.has(`${name} ${checksum}`))
    .map(({ name }) => name);
}
