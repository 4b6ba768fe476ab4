import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { repeatsOf } from "../telemetry/repeats.ts";
import { loop } from "./loop.ts";
import { type Service, service } from "./service.ts";

const interval = 5000;

/** Every few seconds: how late this thread's timers fire, how much memory its process holds, and the sums of log lines that are due. The rest of them at the stop. */
export function vitals(thread: string, log: Log, metrics: Metrics): Service {
  const runOnce = async () => {
    const due = performance.now() + 10;
    await Bun.sleep(10);
    metrics.eventLoopLag.set({ thread }, Math.max(0, performance.now() - due) / 1000);
    metrics.residentMemory.set(process.memoryUsage.rss());
    repeatsOf(log).sweep();
    return 0;
  };
  const looking = loop({ name: "vitals", runOnce, full: Number.POSITIVE_INFINITY, interval, log, metrics });
  return service({
    start: looking.start,
    async stop() {
      await looking.stop();
      repeatsOf(log).flush();
    },
  });
}
