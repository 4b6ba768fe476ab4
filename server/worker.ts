/** A role in a worker thread. The parent thread sends its name, gets a report when its health has changed and every few seconds, asks for its metrics, and asks it to stop. */
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

// In looks. Metrics are also sent unasked, so that a crash loses the counts of a few seconds only.
const [aliveEvery, metricsEvery] = [5, 10];
const lookEvery = 1000;
// It connects to its stores after its start. Looks that come more often in its first seconds let the parent thread know at once that it is ready.
const [youngFor, youngLookEvery] = [10_000, 100];

interface Running {
  report(): Promise<number>;
  stop(): Promise<never>;
}

async function run(role: string): Promise<Running> {
  const settings = settingsFor([role]);
  const giveUp = (why: string) => void report(why).finally(() => exit(1));
  const { context, tracing } = await withTracer(roleContext(role, settings, giveUp), settings);
  const { health, metrics, log } = context;
  const send = (message: Omit<WorkerReport, "parts">) => self.postMessage({ ...message, parts: health.parts() } satisfies WorkerReport);
  const report = async (givesUp?: string) => {
    send({ metrics: await metrics.registry.getMetricsAsJSON(), ...(givesUp ? { givesUp } : {}) });
    return 0;
  };
  const since = performance.now();
  const interval = () => (performance.now() - since < youngFor ? youngLookEvery : lookEvery);
  let looks = 0;
  let sent = "";
  const runOnce = async () => {
    const parts = JSON.stringify(health.parts());
    if (++looks % metricsEvery === 0) await report();
    else if (parts !== sent || looks % aliveEvery === 0) send({});
    sent = parts;
    return 0;
  };
  const reporting = loop({ name: "worker.report", runOnce, full: Number.POSITIVE_INFINITY, interval, log, metrics });
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
  async function stop(): Promise<never> {
    // Also now: a stop that takes too long ends the thread.
    flushRepeats();
    await service.stop();
    await starting;
    await report();
    exit(0);
  }
  return { report, stop };
}

let running: ReturnType<typeof run> | undefined;
self.onmessage = ({ data }: MessageEvent<WorkerOrder>) => {
  if ("stop" in data) return void running?.then(({ stop }) => stop());
  if ("report" in data) return void running?.then(({ report }) => report());
  running = run(data.role);
  // The parent thread starts it again.
  running.catch(error => {
    console.error(error);
    process.exit(1);
  });
};
