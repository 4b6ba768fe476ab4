/**
 * The composition root: `bun server/main.ts [system | system:role …]`, all systems by default. A system runs its API in this thread and its
 * workers as threads; a role named by itself runs without its system. Starts in order; systems, APIs and workers stop in parallel, each
 * in reverse of its start, within the time set for it.
 */
import { roleContext, withTracer } from "./context.ts";
import { ConfigError } from "./kernel/config/config.ts";
import { prefixOf } from "./kernel/config/system_settings.ts";
import { healthServer } from "./kernel/http/health_server.ts";
import { readiness } from "./kernel/http/readiness.ts";
import { readyGauge } from "./kernel/life/ready_gauge.ts";
import type { RoleContext } from "./kernel/life/role.ts";
import { parallel, type Service, sequence } from "./kernel/life/service.ts";
import { vitals } from "./kernel/life/vitals.ts";
import { workerHost } from "./kernel/life/worker_host.ts";
import { rolesOf, type System, workersOf } from "./kernel/system/system.ts";
import { workerMetrics } from "./kernel/telemetry/metrics.ts";
import { flushRepeats } from "./kernel/telemetry/repeats.ts";
import { type AllSettings, allRoles, createRole, settingsFor, systemOf, systems } from "./systems.ts";

const workerEntry = new URL("./worker.ts", import.meta.url);

interface Plan {
  readonly whole: readonly System[];
  readonly single: readonly string[];
}

/** The systems and the single roles that the arguments name, in starting order. */
function plan(args: readonly string[]): Plan {
  const known = new Set<string>([...systems.map(({ name }) => name), ...allRoles]);
  const unknown = args.filter(arg => !known.has(arg));
  if (unknown.length > 0)
    throw new ConfigError(unknown.map(arg => `there is no system or role ${arg}; there are ${[...known].join(", ")}`));
  if (args.length === 0) return { whole: systems, single: [] };
  return { whole: systems.filter(({ name }) => args.includes(name)), single: args.filter(arg => arg.includes(":")) };
}

/** The health port of a system, or the one of the process. */
const healthPortOf = ({ name }: System, { systems, kernel }: AllSettings) => systems[name]?.healthPort ?? kernel.healthPort;

/** A health port describes one system or role, so two in this process cannot share it. */
function refuseSharedHealthPort({ whole, single }: Plan, settings: AllSettings): void {
  const alone = single.filter(role => !role.endsWith(":migrate"));
  const served = [...whole.map(({ name }) => name), ...alone];
  const ports = [...whole, ...alone.map(systemOf)].map(system => healthPortOf(system, settings));
  const shared = served.filter((_, index) => ports[index] && ports.indexOf(ports[index]) !== ports.lastIndexOf(ports[index]));
  if (shared.length > 0)
    throw new ConfigError([
      `${shared.join(", ")} would have the same health port: set <SYSTEM>_HEALTH_PORT for each system, or 0 for any free port, or run them as processes of their own`,
    ]);
}

const healthOf = (system: System, settings: AllSettings, context: RoleContext): Service =>
  healthServer({
    port: healthPortOf(system, settings),
    host: settings.kernel.healthHost,
    variables: ["HEALTH_PORT", `${prefixOf(system.name)}_HEALTH_PORT`],
    context,
  });

/** A system: its health, its migrations, its API here, its workers in threads. */
async function wholeSystem(system: System, settings: AllSettings, giveUp: RoleContext["giveUp"]): Promise<Service> {
  const apiRole = `${system.name}:api`;
  const { context: api, tracing } = await withTracer(roleContext(apiRole, settings, giveUp), settings);
  const collected = workerMetrics();
  const context: RoleContext = { ...api, metricsText: () => collected.text(api.metrics.registry) };
  const workers = workersOf(system).map(role =>
    workerHost({
      role,
      entry: workerEntry,
      log: api.log,
      metrics: api.metrics,
      collected,
      health: api.health,
      stopWithin: settings.kernel.shutdownWithin * 0.7,
    }),
  );
  const migrations = system.database ? [await createRole(settings, { ...api, role: `${system.name}:migrate` })] : [];
  const work = parallel([...workers, await createRole(settings, context)]);
  return sequence([
    tracing,
    healthOf(system, settings, context),
    readyGauge(api),
    ...migrations,
    vitals(apiRole, api.log, api.metrics),
    work,
  ]);
}

/** One role as a process of its own, with its health. */
async function singleRole(role: string, settings: AllSettings, giveUp: RoleContext["giveUp"]): Promise<Service> {
  const untraced = roleContext(role, settings, giveUp);
  if (role.endsWith(":migrate")) return createRole(settings, untraced);
  const { context, tracing } = await withTracer(untraced, settings);
  const work = await createRole(settings, context);
  const ready = readiness({ health: context.health, notice: 0 });
  const serving = healthOf(systemOf(role), settings, context);
  // An API sets this itself, when it accepts requests.
  return sequence([
    tracing,
    serving,
    readyGauge(context),
    vitals(role, context.log, context.metrics),
    work,
    ...(role.endsWith(":api") ? [] : [ready]),
  ]);
}

const usage = `usage: bun server/main.ts [system | system:role …]

Without arguments every system runs in this process, with its workers as threads. A named role runs without its system.
Systems: ${systems.map(({ name }) => name).join(", ")}
Roles: ${allRoles.join(", ")}
Settings are environment variables: see docs/configuration.md.`;

/** Ends the process, with the sums of the log lines that no stop has written. */
function exit(code: number): never {
  flushRepeats();
  process.exit(code);
}

async function main(): Promise<void> {
  if (process.argv.slice(2).some(argument => argument === "--help" || argument === "-h")) return console.log(usage);
  const planned = plan(process.argv.slice(2));
  const { whole, single } = planned;
  const settings = settingsFor([...whole.flatMap(rolesOf), ...single]);
  refuseSharedHealthPort(planned, settings);
  /** Ignored during a stop: everything ends then. */
  const giveUp = () => void (stops === 0 && stop(1));
  const running = parallel(
    await Promise.all([
      ...whole.map(system => wholeSystem(system, settings, giveUp)),
      ...single.map(role => singleRole(role, settings, giveUp)),
    ]),
  );
  const { log } = roleContext("main", settings, giveUp);

  let stops = 0;
  const stop = async (exitCode: number) => {
    if (++stops > 1) exit(1);
    setTimeout(() => {
      log.error("process.stop_too_slow");
      exit(1);
    }, settings.kernel.shutdownWithin).unref();
    const code = await running.stop().then(
      () => exitCode,
      error => {
        log.error({ error }, "process.stop_failed");
        return 1;
      },
    );
    exit(code);
  };
  process.on("SIGTERM", () => void stop(0));
  process.on("SIGINT", () => void stop(0));
  // A stray rejection is a bug, but no reason to drop the requests under way.
  process.on("unhandledRejection", error => log.error({ error }, "process.unhandled_rejection"));

  try {
    await running.start();
  } catch (error) {
    if (stops > 0) return;
    log.error({ error }, "process.start_failed");
    console.error(`kenri cannot start: ${(error as Error).message}`);
    await running.stop().catch(() => {});
    process.exit(1);
  }
  if (single.length > 0 && single.every(role => role.endsWith(":migrate")) && whole.length === 0) process.exit(0);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
