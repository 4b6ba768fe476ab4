import postgres from "postgres";
import { prefixOf } from "../server/kernel/config/system_settings.ts";
import { newPassword, readSecret, writeSecret } from "./secret_file.ts";

export interface DatabaseUrls {
  /** Owns the schema: migrations. */
  ownerUrl: string;
  /** For the service itself: no DDL. */
  appUrl: string;
}

/** Makes a database and its two roles for each system. Idempotent: the passwords stay the same. */
export async function ensureDatabases(
  adminUrl: string,
  credentialsFile: string,
  systems: readonly string[],
): Promise<Record<string, DatabaseUrls>> {
  const passwords = JSON.parse(readSecret(credentialsFile) ?? "{}") as Record<string, string>;
  const roles = systems.flatMap(system => [`${system}_owner`, `${system}_app`]);
  for (const role of roles) passwords[role] ??= newPassword();
  writeSecret(credentialsFile, `${JSON.stringify(passwords, null, 2)}\n`);

  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    for (const role of roles) await ensureRole(sql, role, passwords[role]!);
    for (const system of systems) await ensureDatabase(sql, system);
  } finally {
    await sql.end({ timeout: 5 });
  }
  const url = (role: string, database: string) => {
    const address = new URL(adminUrl);
    Object.assign(address, { username: role, password: passwords[role], pathname: `/${database}` });
    return address.href;
  };
  return Object.fromEntries(
    systems.map(system => [system, { ownerUrl: url(`${system}_owner`, system), appUrl: url(`${system}_app`, system) }]),
  );
}

async function ensureRole(sql: postgres.Sql, role: string, password: string): Promise<void> {
  const [known] = await sql`select 1 from pg_roles where rolname = ${role}`;
  // DDL takes no parameters. The names are ours and the passwords are base64url, so nothing needs escaping.
  await sql.unsafe(`${known ? "alter" : "create"} role "${role}" login password '${password}'`);
}

async function ensureDatabase(sql: postgres.Sql, system: string): Promise<void> {
  const [known] = await sql`select 1 from pg_database where datname = ${system}`;
  if (!known) await sql.unsafe(`create database "${system}" owner "${system}_owner" template template0 encoding 'UTF8'`);
  await sql.unsafe(`revoke all on database "${system}" from public`);
  await sql.unsafe(`grant connect on database "${system}" to "${system}_app"`);
}

/** The URLs of a system's database in the environment, if they are set. */
export function databaseFrom(environment: Record<string, string | undefined>, system: string): DatabaseUrls | undefined {
  const owner = `${prefixOf(system)}_DATABASE_URL`;
  const app = `${prefixOf(system)}_APP_DATABASE_URL`;
  const [ownerUrl, appUrl] = [environment[owner], environment[app]];
  if (ownerUrl && appUrl) return { ownerUrl, appUrl };
  if (ownerUrl) throw new Error(`${owner} is set, so ${app} must be set too (the role without DDL)`);
  if (appUrl) throw new Error(`${app} is set, so ${owner} must be set too (the role that migrates)`);
  return undefined;
}
