import { withTimeout } from "./deadline.ts";
import { loop } from "./loop.ts";
import type { RoleContext } from "./role.ts";
import type { Service } from "./service.ts";

const interval = 5000;

/** The answer of /readyz as a metric, so that an alert sees a process that waits for its database. */
export function readyGauge({ role, health, log, metrics }: Pick<RoleContext, "role" | "health" | "log" | "metrics">): Service {
  const gauge = metrics.gauge("ready", "1 while a role accepts work and its own store answers.", ["role"]);
  gauge.set({ role }, 0);
  const answers = () => withTimeout(interval, "its store", health.askDatabase?.() ?? Promise.resolve());
  const runOnce = async () => {
    const isReady =
      health.state === "ready" &&
      (await answers().then(
        () => true,
        () => false,
      ));
    gauge.set({ role }, isReady ? 1 : 0);
    return 0;
  };
  return loop({ name: "ready", runOnce, full: Number.POSITIVE_INFINITY, interval, log, metrics });
}
