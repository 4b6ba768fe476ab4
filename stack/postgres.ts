import { chownSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { runOrFail } from "./command.ts";
import { choosePort } from "./ports.ts";
import { findPostgresHome, type PostgresHome } from "./postgres_home.ts";
import { endLeftoverPostgres } from "./postgres_leftover.ts";
import { workingIn } from "./process_table.ts";
import { newPassword, readSecret, writeSecret } from "./secret_file.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { ServerCertificate, StackContext } from "./stack.ts";

export interface PostgresServer extends ServerProcess {
  readonly adminUrl: string;
  /** The superuser's URL of another database. */
  url(database: string): string;
}

const major = "18";

/** fsync stays on: the tests that kill PostgreSQL have servers of their own, on the disk. */
const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: 600,
  shared_buffers: "256MB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] %q%u@%d ",
  log_checkpoints: "off",
  // Statements contain users' data, and errors are expected (conflicts, tests), so only the message is logged.
  log_min_error_statement: "fatal",
  max_wal_size: "2GB",
};

export async function startPostgres({
  dir,
  say,
  watchdog,
  onGiveUp,
  certificate,
  postgresInMemory,
  postgresSettings,
}: StackContext): Promise<PostgresServer> {
  const home = await findPostgresHome(dir, postgresInMemory, say);
  await endLeftoverPostgres(home.data);
  const password = await ensureCluster(home, join(dir, "postgres.password"), say);
  const port = await choosePort(dir, "postgres");
  const tls = certificate ? tlsSettings(home, certificate) : {};
  const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const server = superviseServer({
    name: "postgres",
    dir,
    command: [
      join(home.native, "bin", "postgres"),
      ...["-D", home.data, "-p", String(port)],
      ...Object.entries({ ...settings, ...tls, ...postgresSettings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    env: cleanEnvironment(),
    user: home.user,
    prepare: () => endLeftoverPostgres(home.data),
    // Backends are leaders of their own process groups.
    family: () => workingIn(home.data),
    ready: () => answers(url("postgres"), certificate),
    readyWithin: 60_000, // recovery after a kill under load is slow
    stopSignal: "SIGINT",
    stopWithin: 15_000,
    watchdog,
    onGiveUp,
    say,
  });
  await server.start();
  return Object.assign(server, { adminUrl: url("postgres"), url });
}

/** Makes the cluster if there is none, and returns the superuser's password. */
async function ensureCluster(home: PostgresHome, passwordFile: string, say: (line: string) => void): Promise<string> {
  const version = join(home.data, "PG_VERSION");
  const known = readSecret(passwordFile);
  if (!existsSync(version)) return createCluster(home, passwordFile, say);
  const found = readFileSync(version, "utf8").trim();
  if (found !== major) throw new Error(`${home.data} is of PostgreSQL ${found}, this is ${major}: \`bun run dev:reset\` deletes it`);
  if (known === undefined)
    throw new Error(`${passwordFile} is missing, so ${home.data} cannot be opened: \`bun run dev:reset\` deletes it`);
  return known;
}

async function createCluster(home: PostgresHome, passwordFile: string, say: (line: string) => void): Promise<string> {
  say("PostgreSQL: making the cluster (initdb)");
  const password = newPassword();
  const handedOver = join(home.parent, `password-${process.pid}`);
  // Made in another folder, then renamed: a run that is killed during initdb leaves no half cluster.
  const unfinished = `${home.data}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(home.data, { recursive: true, force: true });
  try {
    writeFileSync(handedOver, password, { mode: 0o600 });
    if (home.user) chownSync(handedOver, home.user.uid, home.user.gid);
    const flags = ["--encoding=UTF8", "--locale=C.UTF-8", "--username=postgres", "--auth=scram-sha-256", `--pwfile=${handedOver}`];
    await runOrFail("initdb", [join(home.native, "bin", "initdb"), "-D", unfinished, ...flags], {
      cwd: "/",
      env: cleanEnvironment(),
      ...home.user,
    });
  } finally {
    rmSync(handedOver, { force: true });
  }
  writeSecret(passwordFile, password);
  renameSync(unfinished, home.data);
  return password;
}

/** TLS only, with copies of the files: PostgreSQL requires that only its user can read the key. */
function tlsSettings({ parent, user }: PostgresHome, certificate: ServerCertificate): Record<string, string> {
  const own = (name: string, file: string) => {
    const copy = join(parent, name);
    copyFileSync(file, copy);
    if (user) chownSync(copy, user.uid, user.gid);
    return copy;
  };
  const hba = join(parent, "hba.conf");
  writeFileSync(hba, "hostssl all all 127.0.0.1/32 scram-sha-256\n", { mode: 0o600 });
  if (user) chownSync(hba, user.uid, user.gid);
  return {
    ssl: "on",
    ssl_ca_file: own("ca.crt", certificate.ca),
    ssl_cert_file: own("server.crt", certificate.cert),
    ssl_key_file: own("server.key", certificate.key),
    hba_file: hba,
  };
}

async function answers(url: string, certificate: ServerCertificate | undefined): Promise<boolean> {
  const ssl = certificate ? { ssl: { ca: readFileSync(certificate.ca, "utf8") } } : {};
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {}, ...ssl });
  try {
    await sql`select 1`;
    return true;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Without the caller's PG* variables, locale and library paths, which would change the server. */
function cleanEnvironment(): Record<string, string | undefined> {
  return { PATH: process.env.PATH, LC_ALL: "C.UTF-8", TZ: "UTC" };
}
