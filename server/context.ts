import { hostname } from "node:os";
import packageFile from "../package.json" with { type: "json" };
import { tracingOptions } from "./kernel/config/trace_settings.ts";
import { withTimeout } from "./kernel/life/deadline.ts";
import { faults } from "./kernel/life/fault.ts";
import { createHealth } from "./kernel/life/health.ts";
import type { RoleContext } from "./kernel/life/role.ts";
import { type Service, service } from "./kernel/life/service.ts";
import { workersOf } from "./kernel/system/system.ts";
import { createLog } from "./kernel/telemetry/log.ts";
import { createMetrics } from "./kernel/telemetry/metrics.ts";
import { type AllSettings, systems } from "./systems.ts";

// The rest of the time is for the work under way.
const flushShare = 0.15;

/** The context of a role, in a thread or as a process. */
export function roleContext(role: string, { kernel }: AllSettings, giveUp: RoleContext["giveUp"]): RoleContext {
  const metrics = createMetrics();
  const trouble = metrics.gauge("health_trouble", "1 while a part of a role has a trouble, 0 while it is well.", ["role", "part"]);
  const build = metrics.gauge("build_info", "Always 1. The versions of Kenri and of Bun that run.", ["version", "bun"]);
  build.set({ version: packageFile.version, bun: Bun.version }, 1);
  metrics.gauge("start_time_seconds", "When a role was started, in seconds since 1970.", ["role"]).set({ role }, Date.now() / 1000);
  const worker = `${role}@${hostname()}/${process.pid}/${crypto.randomUUID().slice(0, 4)}`;
  return {
    role,
    worker,
    workerRoles: systems.filter(({ name }) => role.startsWith(`${name}:`)).flatMap(workersOf),
    version: packageFile.version,
    log: createLog(kernel.logLevel, { role, worker }),
    metrics,
    health: createHealth((part, isWell) => trouble.set({ role, part }, isWell ? 0 : 1)),
    faults: faults({ ...kernel.faults, isStuck: kernel.faults.stuckRole === role }),
    giveUp,
    metricsText: () => metrics.registry.metrics(),
  };
}

const untraced = service({ start: async () => {}, stop: async () => {} });

/** The context with its tracer, and a service whose stop sends the last spans. A receiver that hangs does not delay the stop for long. */
export async function withTracer(context: RoleContext, { kernel }: AllSettings): Promise<{ context: RoleContext; tracing: Service }> {
  const options = tracingOptions(kernel.traces);
  if (!options) return { context, tracing: untraced };
  const { openTracing } = await import("./kernel/telemetry/otel.ts");
  const { role, worker, log, metrics } = context;
  const resource = {
    "service.name": kernel.traces.serviceName ?? `kenri-${role.split(":")[0]}`,
    "service.version": packageFile.version,
    "service.instance.id": worker,
    ...kernel.traces.resource,
    "kenri.role": role,
  };
  const { tracer, flush } = openTracing(options, resource, log, metrics);
  const stop = () =>
    withTimeout(kernel.shutdownWithin * flushShare, "the receiver of traces", flush()).catch(error =>
      log.warn({ error }, "trace.flush_failed"),
    );
  return { context: { ...context, tracer }, tracing: service({ start: async () => {}, stop }) };
}
