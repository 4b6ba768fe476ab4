import { join } from "node:path";
import { prefixOf } from "../server/kernel/config/system_settings.ts";
import { checkout } from "./checkout.ts";
import type { DatabaseUrls } from "./databases.ts";
import { devSystems, type SystemName } from "./dev_systems.ts";
import { endLeftover } from "./leftover.ts";
import { choosePort } from "./ports.ts";
import { keptPassword } from "./secret_file.ts";
import { follow } from "./server_log.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { Stack } from "./stack.ts";

/** Where the systems of a stack listen, and the environment that says so. */
export interface KenriPlace {
  urls: Record<SystemName, string>;
  /** The health ports, with /metrics. */
  healthUrls: Record<SystemName, string>;
  /** Their environment: the command-line tools need the same. */
  env: Record<string, string | undefined>;
}

export interface KenriServer extends KenriPlace {
  process: ServerProcess;
}

export interface KenriOptions {
  dir: string;
  say: (line: string) => void;
  databases: Record<string, DatabaseUrls>;
  servers: Stack<"nats" | "redis" | "idp" | "broker">;
  /** The Prometheus whose error budgets and alerts the console shows. */
  prometheus?: string | undefined;
  onGiveUp: (error: Error) => void;
  /** The settings; those of this process by default. */
  environment?: Record<string, string | undefined>;
  /** False: only random ports. */
  usualPorts?: boolean;
}

/** All systems in one process, as `bun server/main.ts` runs them. Not started yet, so that a Ctrl-C during the start can stop it. */
export async function prepareKenri(options: KenriOptions): Promise<KenriServer> {
  const place = await kenriPlace(options);
  return { ...place, process: kenriProcess(options, place) };
}

/** Chooses the ports of all systems. */
export async function kenriPlace({
  dir,
  say,
  databases,
  servers,
  prometheus,
  environment = process.env,
  usualPorts = true,
}: KenriOptions): Promise<KenriPlace> {
  const env: Record<string, string | undefined> = {
    ...environment,
    KENRI_ENV: "development",
    NODE_ENV: "production",
    ...addresses(servers, environment),
    ...(prometheus ? { PROMETHEUS_URL: prometheus } : {}),
    ...(environment.GATEWAY_SECRET || environment.GATEWAY_SECRET_FILE ? {} : { GATEWAY_SECRET: keptPassword(join(dir, "gateway.secret")) }),
    ...(environment.EVENT_SIGNING_KEYS || environment.EVENT_SIGNING_KEYS_FILE
      ? {}
      : { EVENT_SIGNING_KEYS: `dev:${keptPassword(join(dir, "signing.secret"))}` }),
  };
  const urls = {} as Record<SystemName, string>;
  const healthUrls = {} as Record<SystemName, string>;
  await endLeftover(dir, "kenri");
  for (const { name, port: usual, healthPort: usualHealth } of devSystems) {
    const port = await choosePort(dir, name, usualPorts ? usual : undefined);
    if (usualPorts && port !== usual) say(`${name}: port ${usual} is taken, using ${port}`);
    const healthPort = await choosePort(dir, `${name}-health`, usualPorts ? usualHealth : undefined);
    const prefix = prefixOf(name);
    Object.assign(env, { [`${prefix}_PORT`]: String(port), [`${prefix}_HEALTH_PORT`]: String(healthPort) });
    healthUrls[name] = `http://127.0.0.1:${healthPort}`;
    const { ownerUrl, appUrl } = databases[name] ?? {};
    Object.assign(env, ownerUrl && { [`${prefix}_DATABASE_URL`]: ownerUrl, [`${prefix}_APP_DATABASE_URL`]: appUrl });
    urls[name] = `http://127.0.0.1:${port}`;
    env[`${prefix}_URL`] = urls[name];
  }
  // With the channel `stream`, signed-in people see a grant at once.
  Object.assign(env, {
    GATEWAY_JWKS_URL: `${urls.gateway}/.well-known/jwks.json`,
    NOTIFICATION_CHANNEL: env.NOTIFICATION_CHANNEL ?? "stream",
  });
  return { urls, healthUrls, env };
}

/** A process with all systems, or with the named ones. */
export function kenriProcess(
  { dir, say, servers, onGiveUp }: Pick<KenriOptions, "dir" | "say" | "servers" | "onGiveUp">,
  { env, healthUrls }: Pick<KenriPlace, "env" | "healthUrls">,
  { name, systems }: { name: string; systems: readonly SystemName[] } = { name: "kenri", systems: [] },
): ServerProcess {
  const served = systems.length === 0 ? Object.values(healthUrls) : systems.map(system => healthUrls[system]);
  return superviseServer({
    name,
    dir,
    command: [process.execPath, join("server", "main.ts"), ...systems],
    cwd: checkout,
    env,
    ready: () => allReady(served),
    readyWithin: 60_000,
    stopSignal: "SIGTERM",
    stopWithin: 12_000, // it drains within 10 s
    watchdog: servers.watchdog,
    onGiveUp,
    say,
  });
}

function addresses(
  { nats, redis, idp, broker }: KenriOptions["servers"],
  environment: Record<string, string | undefined>,
): Record<string, string> {
  return {
    // The roles have their own users. The administrator's URL in dev.env is only for people.
    ...(Object.keys(nats.roleUrls).length > 0 ? nats.roleUrls : { NATS_URL: nats.url }),
    REDIS_URL: redis.url,
    BROKER_URL: broker.url,
    OIDC_ISSUER: idp.issuer,
    OIDC_CLIENT_ID: idp.clientId,
    OIDC_CLIENT_SECRET: idp.clientSecret,
    OIDC_ROLES_CLAIM: environment.OIDC_ROLES_CLAIM ?? "roles",
  };
}

/** Asks one after the other and no further than to the first that is not ready: the questions take time from the start. */
async function allReady(healthUrls: readonly string[]): Promise<boolean> {
  for (const url of healthUrls) if (!(await isReady(url))) return false;
  return true;
}

/** Waits for the workers too, so that a grant right after the start is delivered at once. */
async function isReady(healthUrl: string): Promise<boolean> {
  const answer = await fetch(`${healthUrl}/readyz`, { signal: AbortSignal.timeout(2_000) });
  return ((await answer.json()) as { status: string }).status === "ready";
}

/** Shows the server's warnings and errors in short form. The log has everything. */
export function echoTrouble(log: string, say: (line: string) => void): () => void {
  return follow(log, line => {
    const short = trouble(line);
    if (short !== undefined) say(short);
  });
}

/** A JSON log line of level warn or worse as one short line. A library may write levels as numbers. */
export function trouble(line: string): string | undefined {
  try {
    const entry = JSON.parse(line) as { level?: string | number; role?: string; msg?: string; error?: { message?: string } };
    const level = { 40: "warn", 50: "error", 60: "fatal" }[Number(entry.level)] ?? String(entry.level);
    if (!["warn", "error", "fatal"].includes(level)) return undefined;
    return [[level, entry.role].filter(Boolean).join(" "), entry.msg, entry.error?.message].filter(Boolean).join(": ").slice(0, 300);
  } catch {
    // Not JSON: the output of a crash, shown as it is.
    return line.trim() === "" ? undefined : line.slice(0, 300);
  }
}
