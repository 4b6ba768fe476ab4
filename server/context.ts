import { hostname } from "node:os";
import packageFile from "../package.json" with { type: "json" };
import { faults } from "./kernel/life/fault.ts";
import { createHealth } from "./kernel/life/health.ts";
import type { RoleContext } from "./kernel/life/role.ts";
import { createLog } from "./kernel/telemetry/log.ts";
import { createMetrics } from "./kernel/telemetry/metrics.ts";
import type { AllSettings } from "./systems.ts";

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
    log: createLog(kernel.logLevel, { role, worker }),
    metrics,
    health: createHealth((part, isWell) => trouble.set({ role, part }, isWell ? 0 : 1)),
    faults: faults({ ...kernel.faults, isStuck: kernel.faults.stuckRole === role }),
    giveUp,
    metricsText: () => metrics.registry.metrics(),
  };
}
