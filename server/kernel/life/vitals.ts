import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { loop } from "./loop.ts";
import type { Service } from "./service.ts";

const interval = 1000;

/** Once a second: how late this thread's timers fire, and how much memory its process holds. */
export function vitals(thread: string, log: Log, metrics: Metrics): Service {
  const runOnce = async () => {
    const due = performance.now() + 10;
    await Bun.sleep(10);
    metrics.eventLoopLag.set({ thread }, Math.max(0, performance.now() - due) / 1000);
    metrics.residentMemory.set(process.memoryUsage.rss());
    return 0;
  };
  return loop({ name: "vitals", runOnce, full: Number.POSITIVE_INFINITY, interval, log, metrics });
}
