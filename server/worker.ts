/** A role in a worker thread. The parent thread sends its name, gets a report once a second, and asks it to stop. */
import { roleContext, withTracer } from "./context.ts";
import { loop } from "./kernel/life/loop.ts";
import { sequence } from "./kernel/life/service.ts";
import { vitals } from "./kernel/life/vitals.ts";
import type { WorkerOrder, WorkerReport } from "./kernel/life/worker_host.ts";
import { flushRepeats } from "./kernel/telemetry/repeats.ts";
import { createRole, settingsFor } from "./systems.ts";

declare const self: Worker;

function exit(code: number): never {
  flushRepeats();
  process.exit(code);
}

async function run(role: string): Promise<() => Promise<void>> {
  const settings = settingsFor([role]);
  const giveUp = (why: string) => void report(why).finally(() => exit(1));
  const { context, tracing } = await withTracer(roleContext(role, settings, giveUp), settings);
  const { health, metrics, log } = context;
  const report = async (givesUp?: string) => {
    const snapshot = await metrics.registry.getMetricsAsJSON();
    self.postMessage({ metrics: snapshot, parts: health.parts(), ...(givesUp ? { givesUp } : {}) } satisfies WorkerReport);
    return 0;
  };
  const reporting = loop({ name: "worker.report", runOnce: () => report(), full: Number.POSITIVE_INFINITY, interval: 1000, log, metrics });
  const service = sequence([tracing, reporting, vitals(role, log, metrics), await createRole(settings, context)]);
  health.trouble("start", "it is starting");
  const starting: Promise<unknown> = service.start().then(
    () => {
      health.fine("start");
      return report();
    },
    error => {
      log.error({ error }, "worker.start_failed");
      exit(1);
    },
  );
  return async () => {
    // Also now: a stop that takes too long ends the thread.
    flushRepeats();
    await service.stop();
    await starting;
    await report();
    exit(0);
  };
}

let running: ReturnType<typeof run> | undefined;
self.onmessage = ({ data }: MessageEvent<WorkerOrder>) => {
  if ("stop" in data) return void running?.then(stop => stop());
  running = run(data.role);
  // The parent thread starts it again.
  running.catch(error => {
    console.error(error);
    process.exit(1);
  });
};
