/** A worker for tests of the worker host: it counts its starts and does what its role says. */

import type { WorkerOrder, WorkerReport } from "../kernel/life/worker_host.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";

declare const self: Worker;

const metrics = createMetrics();
const lives = metrics.counter("lives_total", "Lives of the worker.");
const asked = metrics.counter("asked_total", "Questions for the metrics.");
metrics.gauge("alive", "Whether the worker lives.").set(1);
const report = async (parts: Record<string, string> = {}, last: { givesUp?: string } = {}) =>
  self.postMessage({ metrics: await metrics.registry.getMetricsAsJSON(), parts, ...last } satisfies WorkerReport);

const behaviours: Record<string, () => unknown> = {
  works: () => {},
  complains: () => report({ broker: "NATS is not connected" }),
  crashes: () => process.exit(1),
  async "gives up"() {
    metrics.workerStuck.inc({ role });
    await report({}, { givesUp: "nothing was done" });
    process.exit(1);
  },
  "ends quietly": () => process.exit(0),
  throws: () => {
    throw new Error("a worker's bug");
  },
  rejects: () => void Promise.reject(new Error("a worker's stray rejection")),
  spins: () => {
    for (;;);
  },
};

let role = "";
self.onmessage = async ({ data }: MessageEvent<WorkerOrder>) => {
  if ("role" in data) {
    role = data.role;
    lives.inc();
    await report();
    await behaviours[role]?.();
  } else if ("report" in data) {
    asked.inc();
    if (role !== "does not answer") await report();
  } else if (role !== "ignores its stop") {
    await report();
    process.exit(0);
  }
};
