/**
 * Manages the API keys of machine clients, in every system that takes them:
 *   bun run keys create --client shop --scopes entitlements:read,entitlements:write [--days 90]
 *   bun run keys list
 *   bun run keys rotate --client shop [--grace 24h]     a new key for the client; its old ones end after the grace
 *   bun run keys revoke --key <id>
 * The databases are those of ENTITLEMENT_DATABASE_URL and NOTIFICATION_DATABASE_URL (owner). --systems picks some, --json is for programs.
 */
import { parseArgs } from "node:util";
import type { ApiKeysListRow, EntitlementSql } from "../entitlement/sql.gen.ts";
import { ConfigError, readSettings, secretUrl } from "../kernel/config/config.ts";
import { newKey, scopes } from "../kernel/http/auth.ts";
import { connect } from "../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../kernel/postgres/statements.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";
import { systemNames, systems } from "../systems.ts";

type Keys = EntitlementSql["api_keys"];
type Stores = Map<string, Keys>;
type ListedKey = ApiKeysListRow & { readonly systems: readonly string[] };

const withKeys: string[] = systemNames.filter(name => systems[name].takesKeys);

const help = `usage: npx bun run keys <command> [options]

  create --client NAME --scopes A,B [--days N]   make a key for a client; it is shown this once
  list                                           all keys, newest first, without their secrets
  rotate --client NAME [--grace 24h] [--days N]  a new key for a client; its old ones end after the grace
  revoke --key ID                                end a key now

  --systems A,B   only in these systems; without it in all: ${withKeys.join(", ")}
  --json          print JSON
  --help          this text

Scopes: ${scopes.join(", ")}
The databases are those of ${withKeys.map(system => `${system.toUpperCase()}_DATABASE_URL`).join(" and ")}, as their owner.`;

/** The command line itself is wrong: nothing was tried. */
function refuseUsage(what: string): never {
  console.error(`${what}\n\n${help}`);
  process.exit(2);
}

const { values: flags, positionals } = readArguments();

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        client: { type: "string" },
        scopes: { type: "string" },
        days: { type: "string" },
        grace: { type: "string", default: "24h" },
        key: { type: "string" },
        systems: { type: "string", default: withKeys.join(",") },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    return refuseUsage((error as Error).message);
  }
}

const commands: Record<string, (stores: Stores) => Promise<unknown>> = {
  create: stores => create(stores, wantedClient(), wantedScopes(), wantedDays()),
  list,
  rotate,
  revoke,
};

async function create(stores: Stores, client_id: string, wanted: readonly string[], expires_in_days: number | null) {
  const { key, keyId, secretSha256 } = newKey();
  for (const keys of stores.values())
    await keys.append({ key_id: keyId, client_id, secret_sha256: secretSha256, scopes: wanted, expires_in_days });
  return { key, key_id: keyId, client_id, scopes: wanted, systems: [...stores.keys()], note: "the key is shown this once" };
}

async function list(stores: Stores): Promise<ListedKey[]> {
  const rows = new Map<string, ListedKey>();
  for (const [system, keys] of stores) {
    for (const row of await keys.list()) {
      rows.set(row.key_id, { ...row, systems: [...(rows.get(row.key_id)?.systems ?? []), system] });
    }
  }
  return [...rows.values()];
}

/** The new key has the scopes, systems and lifetime of the newest old one; the client id stays, so idempotency keys and audit go on. */
async function rotate(stores: Stores) {
  const client = required("client");
  const grace = graceSeconds();
  const old = (await list(stores)).filter(row => row.client_id === client && row.revoked_at === null);
  const [newest] = old;
  if (!newest) throw new ConfigError([`client ${client} has no key to rotate; use create`]);
  const known = new Map([...stores].filter(([system]) => newest.systems.includes(system)));
  const made = await create(known, client, newest.scopes, wantedDays() ?? lifetimeInDays(newest));
  for (const keys of stores.values()) for (const row of old) await keys.revoke({ key_id: row.key_id, grace_seconds: grace });
  return { ...made, ended: old.map(row => row.key_id), grace: flags.grace };
}

async function revoke(stores: Stores) {
  const key_id = required("key");
  const changed = (await Promise.all([...stores.values()].map(keys => keys.revoke({ key_id, grace_seconds: 0 })))).flat();
  if (changed.length === 0) throw new ConfigError([`there is no key ${key_id}`]);
  return { key_id, revoked: true };
}

function required(flag: "client" | "key" | "scopes"): string {
  const value = flags[flag];
  return value || refuseUsage(`--${flag} is missing`);
}

/** `user:` is how the audit writes people. */
function wantedClient(): string {
  const client = required("client");
  if (client.startsWith("user:")) throw new ConfigError(["--client may not begin with user:, which is how people are named"]);
  return client;
}

function wantedScopes(): string[] {
  const wanted = required("scopes").split(",");
  const unknown = wanted.filter(scope => !(scopes as readonly string[]).includes(scope));
  if (unknown.length > 0) throw new ConfigError([`there is no scope ${unknown.join(", ")}; there are ${scopes.join(", ")}`]);
  return wanted;
}

function wantedDays(): number | null {
  if (flags.days === undefined) return null;
  if (!/^[1-9]\d{0,3}$/.test(flags.days)) throw new ConfigError(["--days must be 1 to 9999"]);
  return Number(flags.days);
}

const lifetimeInDays = ({ created_at, expires_at }: ListedKey): number | null =>
  expires_at === null ? null : Math.max(1, Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000));

function graceSeconds(): number {
  const match = /^(\d+)(s|m|h|d)$/.exec(flags.grace);
  if (!match) throw new ConfigError(["--grace must be a duration such as 0s, 30m, 24h or 7d"]);
  return Number(match[1]) * { s: 1, m: 60, h: 3600, d: 86400 }[match[2] as "s"];
}

async function main(): Promise<void> {
  if (flags.help) return console.log(help);
  const [name, ...more] = positionals;
  if (name === undefined) refuseUsage("which command? There are create, list, rotate and revoke");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return refuseUsage(`there is no command ${name}; there are ${Object.keys(commands).join(", ")}`);
  if (more.length > 0) refuseUsage(`unknown argument: ${more[0]}`);
  const wanted = flags.systems.split(",");
  const unknown = wanted.filter(system => !withKeys.includes(system));
  if (unknown.length > 0)
    throw new ConfigError([`there is no system ${unknown.join(", ")} with API keys; there are ${withKeys.join(", ")}`]);
  const urls = readSettings(
    Object.fromEntries(wanted.map(system => [system, secretUrl(`${system.toUpperCase()}_DATABASE_URL`, "the database as its owner")])),
  );
  const pools = Object.entries(urls).map(
    ([system, url]) => [system, connect({ url: url as string, name: "kenri keys", max: 1, statementTimeout: 10_000 })] as const,
  );
  try {
    const statements = readStatements(["kernel"]);
    const metrics = createMetrics();
    const stores = new Map(
      pools.map(([system, sql]) => [system, bindStatements<{ api_keys: Keys }>(sql, statements, metrics, 10_000).api_keys]),
    );
    print(await command(stores));
  } finally {
    await Promise.all(pools.map(([, sql]) => sql.end({ timeout: 3 })));
  }
}

function print(result: unknown): void {
  if (flags.json) console.log(JSON.stringify(result));
  else if (Array.isArray(result)) console.table(result);
  else
    for (const [name, value] of Object.entries(result as object))
      console.log(`${name.padEnd(10)} ${Array.isArray(value) ? value.join(", ") : value}`);
}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
