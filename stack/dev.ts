// `bun run dev`: the whole system on this machine, until Ctrl-C.
import { join } from "node:path";
import { prefixOf } from "../server/kernel/config/system_settings.ts";
import { devHome } from "./checkout.ts";
import { buildConsole } from "./console.ts";
import { type DatabaseUrls, databaseFrom, ensureDatabases } from "./databases.ts";
import { devBlock } from "./dev_block.ts";
import { seedDemo } from "./dev_demo.ts";
import { readDevEnv, writeDevEnv } from "./dev_env.ts";
import { ensureApiKey } from "./dev_key.ts";
import { echoTrouble, type KenriServer, prepareKenri } from "./dev_server.ts";
import { devSystems, storing } from "./dev_systems.ts";
import { answerHelp } from "./help.ts";
import { endWithLaunchers, stopSignals } from "./launcher.ts";
import { holderOf } from "./lock.ts";
import { choosePrometheusUrl, preparePrometheus } from "./prometheus.ts";
import { type Stack, serverNames, startStack } from "./stack.ts";

answerHelp(
  `usage: npx bun run dev [--observe]

Starts PostgreSQL, NATS, Redis, an identity provider, a paper broker and every system of Kenri on this machine, with their data under .stack/. It prints the
addresses, an API key and three curl commands, and runs until Ctrl-C. With --observe it also starts a Prometheus that scrapes every system and evaluates the alerts. Settings are environment variables: see
docs/configuration.md.`,
  { takes: argument => argument === "--observe" },
);
const isObserved = process.argv.includes("--observe");

const dir = join(devHome, "dev");
const envFile = join(devHome, "dev.env");
const say = (line: string) => console.log(line);

/** Stops what was started so far, last first. */
const undo: (() => Promise<void> | void)[] = [];
let closing = false;
let firstSignal = 0;

for (const name of stopSignals()) {
  process.on(name, () => {
    // One Ctrl-C arrives twice: from the terminal and from `bun run`. A later one ends this process at once, and the watchdog ends the rest.
    if (closing && performance.now() - firstSignal > 1_000) process.exit(130);
    if (closing) return;
    firstSignal = performance.now();
    say("\nstopping");
    void close(0);
  });
}
endWithLaunchers();

try {
  await up();
} catch (error) {
  if (!closing) await fail(error as Error); // otherwise the stop caused it
}

async function up(): Promise<void> {
  const holder = holderOf(dir);
  if (holder !== undefined) throw new Error(`\`bun run dev\` is running already for this checkout (pid ${holder}): see ${envFile}`);
  const [stack] = await Promise.all([startServers(), buildConsole(say)]);
  const databases = await findDatabases(stack);
  const prometheus = isObserved ? await choosePrometheusUrl(dir) : undefined;
  const kenri = await prepareKenri({ dir, say, databases, servers: stack, prometheus, onGiveUp: fail });
  undo.push(kenri.process.stop, echoTrouble(kenri.process.log, say)); // output during the stop is only in the log
  say("Kenri: starting the systems (they migrate their databases first)");
  await kenri.process.start();
  if (prometheus) await startPrometheus(stack, kenri, prometheus);
  const key = await ensureApiKey(kenri, readDevEnv(envFile).KENRI_API_KEY);
  await seedDemo(kenri.urls, key, stack.broker.onPaper);
  writeDevEnv(envFile, {
    ...Object.fromEntries(devSystems.map(({ name }) => [`${prefixOf(name)}_URL`, kenri.urls[name]])),
    ...Object.fromEntries(devSystems.map(({ name }) => [`${prefixOf(name)}_METRICS_URL`, `${kenri.healthUrls[name]}/metrics`])),
    ...Object.fromEntries(devSystems.map(({ name }) => [`${prefixOf(name)}_HEALTH_URL`, `${kenri.healthUrls[name]}/readyz`])),
    ...Object.fromEntries(storing.map(name => [`${prefixOf(name)}_DATABASE_URL`, databases[name]!.ownerUrl])),
    NATS_URL: stack.nats.url,
    ...stack.nats.roleUrls,
    REDIS_URL: stack.redis.url,
    IDP_URL: stack.idp.issuer,
    BROKER_URL: stack.broker.url,
    ...(prometheus ? { PROMETHEUS_URL: prometheus } : {}),
    KENRI_API_KEY: key,
  });
  const facts = { urls: kenri.urls, issuer: stack.idp.issuer, broker: stack.broker, prometheus, key, logs: join(dir, "logs"), envFile };
  if (!closing) say(devBlock(facts));
}

async function startPrometheus({ watchdog }: Pick<Stack, "watchdog">, { healthUrls }: KenriServer, url: string): Promise<void> {
  const { process } = await preparePrometheus({ dir, say, watchdog, onGiveUp: fail, healthUrls, every: 5, url });
  undo.push(process.stop);
  await process.start();
}

/** Without PostgreSQL if the environment has the database URLs of every system. */
async function startServers(): Promise<Stack<"nats" | "redis" | "idp" | "broker"> & Partial<Stack<"postgres">>> {
  const needed = storing.some(name => databaseFrom(process.env, name) === undefined);
  const servers = needed ? serverNames : serverNames.filter(name => name !== "postgres");
  const starting = startStack({ dir, servers, say, onGiveUp: fail });
  undo.push(async () => (await starting.catch(() => undefined))?.stop());
  return starting;
}

async function findDatabases(stack: Partial<Stack<"postgres">>): Promise<Record<string, DatabaseUrls>> {
  const given = storing.flatMap(name => {
    const urls = databaseFrom(process.env, name);
    return urls ? [[name, urls] as const] : [];
  });
  const ours = storing.filter(name => !given.some(([known]) => known === name));
  const made = stack.postgres ? await ensureDatabases(stack.postgres.adminUrl, join(dir, "databases.json"), ours) : {};
  return { ...made, ...Object.fromEntries(given) };
}

async function fail(error: Error): Promise<void> {
  console.error(error.message);
  await close(1);
}

async function close(code: number): Promise<void> {
  if (closing) return;
  closing = true;
  for (const step of undo.reverse()) await step();
  process.exit(code);
}
