import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:tls";
import postgres from "postgres";
import { scratchFolder } from "../stack/scratch.ts";
import { until } from "../stack/wait.ts";
import { createHealth } from "./kernel/life/health.ts";
import { createBroker } from "./kernel/nats/broker.ts";
import { connect, databaseRefusal } from "./kernel/postgres/database.ts";
import { createRedis } from "./kernel/redis/redis.ts";
import type { RedisAddress } from "./kernel/redis/redis_address.ts";
import { silentLog } from "./kernel/telemetry/log.ts";
import { createMetrics } from "./kernel/telemetry/metrics.ts";
import { type CertificateFiles, type TestAuthority, testAuthority } from "./testing/authority.ts";
import { testSecret } from "./testing/integrity.ts";
import { testNats } from "./testing/kenri.ts";
import { natsAccessWith } from "./testing/nats.ts";
import { startProcess, type TestProcess } from "./testing/process.ts";
import { tlsServers } from "./testing/servers.ts";

const folder = scratchFolder();
let authority: TestAuthority;
let stranger: TestAuthority;
let client: CertificateFiles;
let servers: Awaited<ReturnType<typeof tlsServers<"postgres" | "nats" | "redis">>>;
let admin: postgres.Sql;
const processes: TestProcess[] = [];

beforeAll(async () => {
  authority = await testAuthority(join(folder, "ours"));
  stranger = await testAuthority(join(folder, "stranger"));
  client = await authority.client("entitlement_app");
  servers = await tlsServers({ ca: authority.ca, ...(await authority.server("server")) }, "postgres", "nats", "redis");
  admin = postgres(servers.postgres.adminUrl, { max: 1, ssl: { ca: readFileSync(authority.ca, "utf8") } });
  for (const role of ["entitlement_owner", "entitlement_app"]) await admin.unsafe(`create role ${role} login password 'right'`);
  await admin.unsafe("create database entitlement owner entitlement_owner template template0 encoding 'UTF8'");
});
afterAll(async () => {
  for (const one of processes) one.kill("SIGKILL");
  await Promise.all(processes.map(one => one.exited));
  await admin?.end({ timeout: 1 });
  await servers?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** How a client comes: what it believes, what it knows, and by which name it calls the server. */
interface How {
  readonly tls: boolean;
  readonly ca: () => string | undefined;
  readonly password: "right" | "wrong" | "none";
  readonly host: string;
  readonly certificate?: boolean;
}
const right: How = { tls: true, ca: () => authority.ca, password: "right", host: "127.0.0.1" };

/** A server that is guarded: comes as told, and says "connected", or the sentence for people. */
interface Guarded {
  readonly name: string;
  readonly come: (how: How) => Promise<string>;
}

function databaseUrl(role: string, { tls, ca, password, host, certificate }: How): string {
  const url = new URL(servers.postgres.url("entitlement"));
  Object.assign(url, { username: role, password: password === "none" ? "" : password, hostname: host });
  if (!tls) return url.href;
  const file = ca();
  url.searchParams.set("sslmode", "verify-full");
  if (file !== undefined) url.searchParams.set("sslrootcert", file);
  if (certificate) for (const name of ["cert", "key"] as const) url.searchParams.set(`ssl${name}`, client[name]);
  return url.href;
}

async function toPostgres(how: How): Promise<string> {
  const sql = connect({ url: databaseUrl("entitlement_app", how), name: "a test", max: 1, statementTimeout: 5000 });
  try {
    const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row?.ssl ? "connected" : "connected in plain text";
  } catch (error) {
    return databaseRefusal(error) ?? (error as Error).message;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function redisAddress({ tls, ca, password, host, certificate }: How): RedisAddress {
  const { port, password: known } = new URL(servers.redis.url);
  return {
    url: `${tls ? "rediss" : "redis"}://${host}:${port}`,
    ...(password === "none" ? {} : { password: password === "right" ? known : "wrong" }),
    ...(tls ? { caFile: ca() } : {}),
    ...(certificate ? { certFile: client.cert, keyFile: client.key } : {}),
  };
}

async function toRedis(how: How): Promise<string> {
  const health = createHealth();
  const redis = createRedis({ ...redisAddress(how), deadline: 1000, log: silentLog, health, metrics: createMetrics() });
  await redis.start();
  const said = () => health.troubles().redis ?? "";
  await until("it is connected or says why not", 5000, () => redis.connected() || (said() !== "" && said() !== "Redis is not connected"));
  const outcome = redis.connected() ? `connected${(await redis.send("PING")) === "PONG" ? "" : " to nothing"}` : said();
  await redis.stop();
  return outcome;
}

function natsEnvironment({ tls, ca, password, host, certificate }: How): Record<string, string> {
  const { port, username, password: known } = new URL(servers.nats.url);
  const file = ca();
  return {
    NATS_URL: `${tls ? "tls" : "nats"}://${host}:${port}`,
    ...(password === "none" ? {} : { NATS_USER: username, NATS_PASSWORD: password === "right" ? known : "wrong" }),
    ...(tls && file !== undefined ? { NATS_CA_FILE: file } : {}),
    ...(certificate ? { NATS_CERT_FILE: client.cert, NATS_KEY_FILE: client.key } : {}),
  };
}

async function toNats(how: How): Promise<string> {
  const health = createHealth();
  const nats = natsAccessWith(natsEnvironment(how));
  const broker = createBroker({ nats, name: "a test", log: silentLog, health, metrics: createMetrics() });
  await broker.start();
  const said = () => health.troubles().broker ?? "";
  await until("it is connected or says why not", 5000, () => broker.connected() || (said() !== "" && said() !== "NATS is not connected"));
  const outcome = broker.connected()
    ? await broker
        .connection()
        .flush()
        .then(() => "connected")
    : said();
  await broker.stop();
  return outcome;
}

const guarded: readonly Guarded[] = [
  { name: "PostgreSQL", come: toPostgres },
  { name: "Redis", come: toRedis },
  { name: "NATS", come: toNats },
];

const strangeAuthority = /an authority that is not known here|TLS with NATS fails \((UNABLE_TO_|SELF_SIGNED|CERT_)/;

describe.each(guarded)("$name with TLS and a password", ({ name, come }) => {
  test.each<[string, How]>([
    ["the right authority and password", right],
    ["the right authority, by another name of the certificate", { ...right, host: "localhost" }],
    ["a client certificate too", { ...right, certificate: true }],
  ])("lets in who comes with %s", async (_, how) => {
    expect(await come(how)).toBe("connected");
  });

  test.each<[string, How, RegExp]>([
    ["another authority", { ...right, ca: () => stranger.ca }, strangeAuthority],
    ["the authorities of the system", { ...right, ca: () => undefined }, strangeAuthority],
    ["a wrong password", { ...right, password: "wrong" }, /refuses the (user or the password|credentials)/],
    ["no password", { ...right, password: "none" }, /refuses the (user or the password|credentials)|asks for a password/],
    ["plain text", { ...right, tls: false }, /only TLS|ask for TLS|TLS with NATS fails/],
  ])("lets nobody in who comes with %s, and says why", async (_, how, sentence) => {
    const said = await come(how);
    expect(said).toContain(name);
    expect(said).toMatch(sentence);
    for (const { url } of [servers.redis, servers.nats]) expect(said).not.toContain(new URL(url).password);
  });
});

test("Redis's password is not sent to a server that the authority does not vouch for", async () => {
  const impostor = await stranger.server("impostor");
  const heard: Buffer[] = [];
  const server = createServer({ cert: readFileSync(impostor.cert), key: readFileSync(impostor.key) }, socket => {
    socket.on("data", piece => void heard.push(Buffer.from(piece)));
    socket.on("error", () => {});
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const health = createHealth();
  const address = { ...redisAddress(right), url: `rediss://127.0.0.1:${port}` };
  const redis = createRedis({ ...address, deadline: 500, log: silentLog, health, metrics: createMetrics() });
  await redis.start();
  await until("it says why", 5000, () => /not known here/.test(health.troubles().redis ?? ""));
  await redis.stop();
  expect(Buffer.concat(heard).toString()).toBe("");
  const trusting = createRedis({ ...address, caFile: stranger.ca, deadline: 500, log: silentLog, health, metrics: createMetrics() });
  const starting = trusting.start();
  await until("who trusts it sends the password", 5000, () => Buffer.concat(heard).toString().includes(address.password!));
  await starting;
  await trusting.stop();
  server.close();
});

const secretFile = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  return file;
};
function launch(what: string, environment: Record<string, string>): TestProcess {
  const common = { KENRI_ENV: "test", NODE_ENV: "production", NATS_URL: testNats(), HEALTH_PORT: "0", SHUTDOWN_NOTICE: "0ms" };
  const started = startProcess(what, { ...common, ...environment });
  processes.push(started);
  return started;
}
const readiness = async (process: TestProcess) => (await fetch(`${await process.healthUrl()}/readyz`)).text();

test("a system migrates, works and takes keys over TLS, with its secrets in files", async () => {
  const environment = {
    ENTITLEMENT_PORT: "0",
    ENTITLEMENT_STREAM: `tls-${process.pid}`,
    ENTITLEMENT_SUBJECT: `tls.${process.pid}`,
    ENTITLEMENT_DATABASE_URL_FILE: secretFile("owner", databaseUrl("entitlement_owner", right)),
    ENTITLEMENT_APP_DATABASE_URL_FILE: secretFile("app", databaseUrl("entitlement_app", right)),
    NATS_URL_FILE: secretFile("nats", servers.nats.url.replace("nats://", "tls://")),
    NATS_CA_FILE: authority.ca,
    NATS_URL: "",
  };
  const system = launch("entitlement", environment);
  await system.logged("broker.connected");
  await system.logged('"system":"entitlement","msg":"ready"');
  const keys = Bun.spawn([process.execPath, "server/cli/keys.ts", "list", "--systems", "entitlement", "--json"], {
    cwd: join(import.meta.dir, ".."),
    env: { PATH: process.env.PATH ?? "", ENTITLEMENT_DATABASE_URL_FILE: environment.ENTITLEMENT_DATABASE_URL_FILE },
    stdout: "pipe",
  });
  expect([await keys.exited, await new Response(keys.stdout).text()]).toEqual([0, "[]\n"]);
  const open = await admin`
    select a.usename, bool_and(s.ssl) as ssl from pg_stat_activity a join pg_stat_ssl s using (pid)
    where a.datname = 'entitlement' group by 1 order by 1`;
  expect(open.map(row => [row.usename, row.ssl])).toContainEqual(["entitlement_app", true]);
  expect(open.filter(row => !row.ssl)).toEqual([]);
  system.kill("SIGKILL");
});

test("a system that does not trust its database waits and says why", async () => {
  const environment = {
    ENTITLEMENT_PORT: "0",
    ENTITLEMENT_APP_DATABASE_URL: databaseUrl("entitlement_app", { ...right, ca: () => stranger.ca }),
  };
  const api = launch("entitlement:api", environment);
  await until("it says what it waits for", 10_000, async () => /an authority that is not known here/.test(await readiness(api)));
  expect(await api.logged("store.waiting")).toContain("certificate");
  api.kill("SIGKILL");
});

test("a gateway that Redis does not let in says so at /readyz and once in its log", async () => {
  const { port, password } = new URL(servers.redis.url);
  const environment = {
    GATEWAY_PORT: "0",
    GATEWAY_SECRET_FILE: secretFile("gateway", testSecret),
    REDIS_URL: `rediss://127.0.0.1:${port}`,
    REDIS_CA_FILE: authority.ca,
    OIDC_ISSUER: "https://idp.example",
    OIDC_CLIENT_ID: "kenri",
    OIDC_CLIENT_SECRET: "only-for-this-test",
    ACCOUNT_URL: "http://127.0.0.1:1",
    ENTITLEMENT_URL: "http://127.0.0.1:1",
    NOTIFICATION_URL: "http://127.0.0.1:1",
  };
  const right = launch("gateway:api", { ...environment, REDIS_PASSWORD_FILE: secretFile("redis", password) });
  const wrong = launch("gateway:api", { ...environment, REDIS_PASSWORD_FILE: secretFile("wrong", "wrong") });
  await right.logged("redis.connected");
  await until("it says so", 10_000, async () => /refuses the user or the password \(WRONGPASS\)/.test(await readiness(wrong)));
  await until("it was tried again", 10_000, async () => (await wrong.metric("kenri_loop_runs_total", 'loop="redis.connect"')) > 12);
  expect(wrong.lines.filter(line => line.includes("redis.refused"))).toHaveLength(1);
  expect([...right.lines, ...wrong.lines].join("\n")).not.toContain(password);
});
