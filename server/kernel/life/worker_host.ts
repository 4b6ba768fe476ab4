import type { Log } from "../telemetry/log.ts";
import type { Metrics, Snapshot, workerMetrics } from "../telemetry/metrics.ts";
import { restartDelay } from "./backoff.ts";
import { withTimeout } from "./deadline.ts";
import type { Health, Parts } from "./health.ts";
import { loop } from "./loop.ts";
import { type Service, service } from "./service.ts";

/** What a worker tells its parent, once a second and before it ends. */
export interface WorkerReport {
  readonly metrics: Snapshot;
  /** What it knows of, with its trouble. */
  readonly parts: Parts;
  /** Its last report, and why it ends: its work does not go on. */
  readonly givesUp?: string;
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
  /** How often it is looked whether the worker reported, and after how many looks in vain it counts as hung. */
  readonly watch?: { readonly every: number; readonly patience: number };
}

/**
 * Runs a role in a thread. A worker that ends unasked, whatever its exit code says, crashed: it is started again, slower each time. One that
 * no longer reports hangs, and is ended. Looks are counted, not seconds: when the whole process was stopped for a while, nobody hung.
 */
export function workerHost(options: WorkerHostOptions): Service {
  const { role, entry, log, metrics, collected, health, stopWithin, watch = { every: 1000, patience: 20 } } = options;
  let worker: Worker | undefined;
  let ended: Promise<void> = Promise.resolve();
  let stopping = false;
  let failures = 0;
  let restart: Timer | undefined;
  let looksInVain = 0;

  function spawn(): void {
    const name = `${role}#${crypto.randomUUID().slice(0, 8)}`;
    const current = new Worker(entry, { name });
    const startedAt = performance.now();
    worker = current;
    looksInVain = 0;
    let lastWords: string | undefined;
    health.workers.set(role, {});
    health.trouble(role, "the worker is starting");
    current.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      looksInVain = 0;
      collected.update(name, data.metrics);
      health.workers.set(role, data.parts);
      const troubles = Object.entries(data.parts).flatMap(([part, what]) => (what === null ? [] : [`${part}: ${what}`]));
      lastWords = data.givesUp;
      if (troubles.length > 0) health.trouble(role, troubles.join("; "));
      else health.fine(role);
    };
    current.onerror = event => log.error({ role, message: event.message }, "worker.error");
    ended = new Promise(resolve => {
      current.addEventListener("close", () => {
        collected.end(name);
        resolve();
        if (!stopping) crashed(performance.now() - startedAt, lastWords);
      });
    });
    current.postMessage({ role } satisfies WorkerOrder);
  }

  async function look(): Promise<number> {
    // Again and again: one that did not end the first time is ended once more.
    if (++looksInVain % watch.patience !== 0) return 0;
    log.error({ role }, "worker.hung");
    worker?.terminate();
    return 0;
  }
  const watching = loop({ name: "worker.watch", runOnce: look, full: Number.POSITIVE_INFINITY, interval: watch.every, log, metrics });

  function crashed(lived: number, lastWords = "it ended unasked"): void {
    failures = lived > 10_000 ? 0 : failures + 1;
    const pause = restartDelay(failures);
    metrics.workerRestarts.inc({ role });
    health.workers.set(role, {});
    health.trouble(role, `the worker is started again: ${lastWords}`);
    log.error({ role, pause, why: lastWords }, "worker.ended_unasked");
    restart = setTimeout(spawn, pause);
  }

  return service({
    async start() {
      spawn();
      await watching.start();
    },
    async stop() {
      stopping = true;
      await watching.stop();
      clearTimeout(restart);
      worker?.postMessage({ stop: true } satisfies WorkerOrder);
      await withTimeout(stopWithin, role, ended).catch(() => {
        log.error({ role }, "worker.terminated");
        worker?.terminate();
        return ended;
      });
    },
  });
}
