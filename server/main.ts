/**
 * The composition root: `bun server/main.ts [system | system:role …]`, all systems by default. A system runs its API in this thread and its
 * workers as threads; a role named by itself runs alone in this process. Starts in order; systems, APIs and workers stop side by side, each
 * in reverse of its start, within the time set for it.
 */
import { Elysia } from "elysia";
import { roleContext } from "./context.ts";
import { ConfigError } from "./kernel/config.ts";
import { healthRoutes } from "./kernel/health.ts";
import { workerMetrics } from "./kernel/metrics.ts";
import type { RoleContext } from "./kernel/role.ts";
import { group, type Service, service, together } from "./kernel/service.ts";
import { vitals } from "./kernel/vitals.ts";
import { workerHost } from "./kernel/worker_host.ts";
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

/** A system: its migrations, its API here, its workers in threads. */
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
  return group([...migrations, vitals(`${system}:api`, api.log, api.metrics), together([...workers, createRole(settings, context)])]);
}

/** One role as a process of its own, with /livez, /readyz and /metrics where HEALTH_PORT says. */
function singleRole(role: string, settings: AllSettings, giveUp: RoleContext["giveUp"]): Service {
  const context = roleContext(role, settings, giveUp);
  const { health } = context;
  const work = createRole(settings, context);
  const { healthPort, host } = settings.kernel;
  if (role.endsWith(":api") || role.endsWith(":migrate") || healthPort === undefined) return work;
  const app = new Elysia().use(healthRoutes({ health, askDatabase: async () => {}, metricsText: context.metricsText }));
  const serving = service({
    start: async () => {
      app.listen({ port: healthPort, hostname: host });
      context.log.info({ url: `http://${host}:${app.server?.port}` }, "http.listening");
    },
    stop: async () => void (await app.stop()),
  });
  const ready = service({
    start: async () => {
      health.state = "ready";
    },
    stop: async () => {
      health.state = "stopping";
    },
  });
  return group([serving, vitals(role, context.log, context.metrics), work, ready]);
}

const usage = `usage: bun server/main.ts [system | system:role …]

Without arguments every system runs in this process, with its workers as threads. A role that is named runs alone.
Systems: ${systemNames.join(", ")}
Roles: ${systemNames.flatMap(rolesOf).join(", ")}
Settings are environment variables: see docs/configuration.md.`;

async function main(): Promise<void> {
  if (process.argv.slice(2).some(argument => argument === "--help" || argument === "-h")) return console.log(usage);
  const { whole, single } = plan(process.argv.slice(2));
  const settings = settingsFor([...whole.flatMap(rolesOf), ...single]);
  /** While it stops, everything ends anyway. */
  const giveUp = () => void (stops === 0 && stop(1));
  const running = together([
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
