import type { Log } from "../telemetry/log.ts";
import type { Metrics, Snapshot, workerMetrics } from "../telemetry/metrics.ts";
import { restartDelay } from "./backoff.ts";
import { withTimeout } from "./deadline.ts";
import type { Health, Parts } from "./health.ts";
import { loop } from "./loop.ts";
import { type Service, service } from "./service.ts";

/** The report of a worker to its parent thread: within a second after its health has changed, every few seconds, when it is asked, and before it ends. */
export interface WorkerReport {
  /** Not each time: a snapshot of all metrics costs more than everything else that an idle worker does. */
  readonly metrics?: Snapshot;
  /** Its parts with their troubles. */
  readonly parts: Parts;
  /** In its last report: why it ends, because its work makes no progress. */
  readonly givesUp?: string;
}

/** A message of the parent thread: the role to run, the question for its metrics, or the stop. */
export type WorkerOrder = { readonly role: string } | { readonly report: true } | { readonly stop: true };

export interface WorkerHostOptions {
  readonly role: string;
  readonly entry: URL;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly collected: ReturnType<typeof workerMetrics>;
  readonly health: Health;
  readonly stopWithin: number;
  /** How often the reports are checked, and after how many checks without a report the worker counts as hung. */
  readonly watch?: { readonly every: number; readonly patience: number };
}

// How long a scrape of the metrics waits for a worker that is busy or hangs.
const answersWithin = 500;

/**
 * Runs a role in a thread. A worker that ends without a stop has crashed, whatever its exit code is: it is restarted, with a longer pause each time.
 * A worker without reports hangs, and is terminated. Checks are counted, not seconds: after a pause of the whole process no worker counts as hung.
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
    let answered = Promise.withResolvers<void>();
    collected.add(name, () => {
      current.postMessage({ report: true } satisfies WorkerOrder);
      return withTimeout(answersWithin, role, answered.promise).catch(() => {}); // its last report counts
    });
    health.workers.set(role, {});
    health.trouble(role, "the worker is starting");
    current.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      looksInVain = 0;
      if (data.metrics) {
        collected.update(name, data.metrics);
        answered.resolve();
        answered = Promise.withResolvers();
      }
      health.workers.set(role, data.parts);
      const troubles = Object.entries(data.parts).flatMap(([part, what]) => (what === null ? [] : [`${part}: ${what}`]));
      lastWords = data.givesUp;
      if (troubles.length > 0) health.trouble(role, troubles.join("; "));
      else health.fine(role);
    };
    current.onerror = event => log.error({ thread: role, message: event.message }, "worker.error");
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
    // Repeatedly: a worker may survive the first termination.
    if (++looksInVain % watch.patience !== 0) return 0;
    log.error({ thread: role }, "worker.hung");
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
    log.error({ thread: role, pause: Math.round(pause), why: lastWords }, "worker.ended_unasked");
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
        log.error({ thread: role }, "worker.terminated");
        worker?.terminate();
        return ended;
      });
    },
  });
}
