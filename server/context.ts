import { hostname } from "node:os";
import { faults } from "./kernel/life/fault.ts";
import { createHealth } from "./kernel/life/health.ts";
import type { RoleContext } from "./kernel/life/role.ts";
import { createLog } from "./kernel/telemetry/log.ts";
import { createMetrics } from "./kernel/telemetry/metrics.ts";
import type { AllSettings } from "./systems.ts";

/** What a role gets to work with, whether it runs in a thread or as a process. */
export function roleContext(role: string, { kernel }: AllSettings, giveUp: RoleContext["giveUp"]): RoleContext {
  const metrics = createMetrics();
  const worker = `${role}@${hostname()}/${process.pid}/${crypto.randomUUID().slice(0, 4)}`;
  return {
    role,
    worker,
    log: createLog(kernel.logLevel, { role, worker }),
    metrics,
    health: createHealth(),
    faults: faults({ ...kernel.faults, isStuck: kernel.faults.stuckRole === role }),
    giveUp,
    metricsText: () => metrics.registry.metrics(),
  };
}
