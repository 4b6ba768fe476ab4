import { restartDelay } from "./backoff.ts";
import { within } from "./deadline.ts";
import type { Health } from "./health.ts";
import type { Log } from "./log.ts";
import type { Metrics, Snapshot, workerMetrics } from "./metrics.ts";
import { type Service, service } from "./service.ts";

/** What a worker tells its parent, once a second and before it ends. */
export interface WorkerReport {
  readonly metrics: Snapshot;
  readonly troubles: Record<string, string>;
}

/** What a parent tells its worker: what to be, and when to end. */
export type WorkerOrder = { readonly role: string } | { readonly stop: true };

export interface WorkerHostOptions {
  readonly role: string;
  readonly entry: URL;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly collected: ReturnType<typeof workerMetrics>;
  readonly health: Health;
  readonly stopWithin: number;
}

/** Runs a role in a thread. A worker that ends unasked, whatever its exit code says, crashed: it is started again, slower each time. */
export function workerHost({ role, entry, log, metrics, collected, health, stopWithin }: WorkerHostOptions): Service {
  let worker: Worker | undefined;
  let ended: Promise<void> = Promise.resolve();
  let stopping = false;
  let failures = 0;
  let restart: Timer | undefined;

  function spawn(): void {
    const name = `${role}#${crypto.randomUUID().slice(0, 8)}`;
    const current = new Worker(entry, { name });
    const startedAt = performance.now();
    worker = current;
    current.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      collected.update(name, data.metrics);
      const troubles = Object.entries(data.troubles).map(([part, what]) => `${part}: ${what}`);
      if (troubles.length > 0) health.trouble(role, troubles.join("; "));
      else health.fine(role);
    };
    current.onerror = event => log.error({ role, message: event.message }, "worker.error");
    ended = new Promise(resolve => {
      current.addEventListener("close", () => {
        collected.end(name);
        resolve();
        if (!stopping) crashed(performance.now() - startedAt);
      });
    });
    current.postMessage({ role } satisfies WorkerOrder);
  }

  function crashed(lived: number): void {
    failures = lived > 10_000 ? 0 : failures + 1;
    const pause = restartDelay(failures);
    metrics.workerRestarts.inc({ role });
    health.trouble(role, "the worker ended unasked and is started again");
    log.error({ role, pause }, "worker.ended_unasked");
    restart = setTimeout(spawn, pause);
  }

  return service({
    start: async () => spawn(),
    async stop() {
      stopping = true;
      clearTimeout(restart);
      worker?.postMessage({ stop: true } satisfies WorkerOrder);
      await within(stopWithin, role, ended).catch(() => {
        log.error({ role }, "worker.terminated");
        worker?.terminate();
        return ended;
      });
    },
  });
}
