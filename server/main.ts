/**
 * The composition root: `bun server/main.ts [system | system:role …]`, all systems by default. A system runs its API in this thread and its
 * workers as threads; a role named by itself runs alone in this process. Starts in order; systems, APIs and workers stop side by side, each
 * in reverse of its start, within the time set for it.
 */
import { roleContext } from "./context.ts";
import { ConfigError } from "./kernel/config/config.ts";
import { healthServer } from "./kernel/http/health_server.ts";
import type { RoleContext } from "./kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "./kernel/life/service.ts";
import { vitals } from "./kernel/life/vitals.ts";
import { workerHost } from "./kernel/life/worker_host.ts";
import { workerMetrics } from "./kernel/telemetry/metrics.ts";
import { type AllSettings, createRole, rolesOf, type SystemName, settingsFor, systemNames, systems } from "./systems.ts";

const workerEntry = new URL("./worker.ts", import.meta.url);

/** What the arguments ask for: whole systems and single roles, in starting order. */
function plan(args: readonly string[]): { whole: SystemName[]; single: string[] } {
  const known = new Set<string>([...systemNames, ...systemNames.flatMap(rolesOf)]);
  const unknown = args.filter(arg => !known.has(arg));
  if (unknown.length > 0)
    throw new ConfigError(unknown.map(arg => `there is no system or role ${arg}; there are ${[...known].join(", ")}`));
  if (args.length === 0) return { whole: systemNames, single: [] };
  return { whole: systemNames.filter(name => args.includes(name)), single: args.filter(arg => arg.includes(":")) };
}

/** Where a system's health is served: at a port of its own, or at the one port of the process. */
const healthPortOf = (system: SystemName, settings: AllSettings) => settings[system].healthPort ?? settings.kernel.healthPort;

/** Two that share this process cannot share a health port: it would tell of one of them only. */
function refuseSharedHealthPort({ whole, single }: ReturnType<typeof plan>, settings: AllSettings): void {
  const served = [...whole, ...single.filter(role => !role.endsWith(":migrate"))];
  const ports = served.map(name => healthPortOf(name.split(":")[0] as SystemName, settings));
  const shared = served.filter((_, index) => ports[index] && ports.indexOf(ports[index]) !== ports.lastIndexOf(ports[index]));
  if (shared.length > 0)
    throw new ConfigError([
      `${shared.join(", ")} would have the same health port: set <SYSTEM>_HEALTH_PORT for each system, or 0 for any free port, or run them as processes of their own`,
    ]);
}

const healthOf = (system: SystemName, settings: AllSettings, context: RoleContext): Service =>
  healthServer({
    port: healthPortOf(system, settings),
    host: settings.kernel.healthHost,
    variables: ["HEALTH_PORT", `${system.toUpperCase()}_HEALTH_PORT`],
    context,
  });

/** A system: its health, its migrations, its API here, its workers in threads. */
function wholeSystem(system: SystemName, settings: AllSettings, giveUp: RoleContext["giveUp"]): Service {
  const api = roleContext(`${system}:api`, settings, giveUp);
  const collected = workerMetrics();
  const context: RoleContext = { ...api, metricsText: () => collected.text(api.metrics.registry) };
  const workers = systems[system].workers.map(worker =>
    workerHost({
      role: `${system}:${worker}`,
      entry: workerEntry,
      log: api.log,
      metrics: api.metrics,
      collected,
      health: api.health,
      stopWithin: settings.kernel.shutdownWithin * 0.7,
    }),
  );
  const migrations = systems[system].database ? [createRole(settings, { ...api, role: `${system}:migrate` })] : [];
  const work = parallel([...workers, createRole(settings, context)]);
  return sequence([healthOf(system, settings, context), ...migrations, vitals(`${system}:api`, api.log, api.metrics), work]);
}

/** One role as a process of its own, with its health. */
function singleRole(role: string, settings: AllSettings, giveUp: RoleContext["giveUp"]): Service {
  const context = roleContext(role, settings, giveUp);
  const { health } = context;
  const work = createRole(settings, context);
  if (role.endsWith(":migrate")) return work;
  const ready = service({
    start: async () => {
      health.state = "ready";
    },
    stop: async () => {
      health.state = "stopping";
    },
  });
  const serving = healthOf(role.split(":")[0] as SystemName, settings, context);
  // An API says by itself when it is ready: it takes requests then.
  return sequence([serving, vitals(role, context.log, context.metrics), work, ...(role.endsWith(":api") ? [] : [ready])]);
}

const usage = `usage: bun server/main.ts [system | system:role …]

Without arguments every system runs in this process, with its workers as threads. A role that is named runs alone.
Systems: ${systemNames.join(", ")}
Roles: ${systemNames.flatMap(rolesOf).join(", ")}
Settings are environment variables: see docs/configuration.md.`;

async function main(): Promise<void> {
  if (process.argv.slice(2).some(argument => argument === "--help" || argument === "-h")) return console.log(usage);
  const planned = plan(process.argv.slice(2));
  const { whole, single } = planned;
  const settings = settingsFor([...whole.flatMap(rolesOf), ...single]);
  refuseSharedHealthPort(planned, settings);
  /** While it stops, everything ends anyway. */
  const giveUp = () => void (stops === 0 && stop(1));
  const running = parallel([
    ...whole.map(system => wholeSystem(system, settings, giveUp)),
    ...single.map(role => singleRole(role, settings, giveUp)),
  ]);
  const { log } = roleContext("main", settings, giveUp);

  let stops = 0;
  const stop = async (exitCode: number) => {
    if (++stops > 1) process.exit(1);
    setTimeout(() => {
      log.error("shutdown took too long");
      process.exit(1);
    }, settings.kernel.shutdownWithin).unref();
    const code = await running.stop().then(
      () => exitCode,
      error => {
        log.error({ error }, "shutdown failed");
        return 1;
      },
    );
    process.exit(code);
  };
  process.on("SIGTERM", () => void stop(0));
  process.on("SIGINT", () => void stop(0));
  // A stray rejection is a bug, but not one to lose requests over.
  process.on("unhandledRejection", error => log.error({ error }, "unhandled rejection"));

  try {
    await running.start();
  } catch (error) {
    if (stops > 0) return;
    log.error({ error }, "start failed");
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
