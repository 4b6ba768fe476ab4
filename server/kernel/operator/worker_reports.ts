import { withTimeout } from "../life/deadline.ts";
import type { Parts } from "../life/health.ts";
import { loop } from "../life/loop.ts";
import type { RoleContext } from "../life/role.ts";
import { type Service, service } from "../life/service.ts";

/** What a worker tells the store of its system, so that the API sees it in any process. */
export interface WorkerReport {
  readonly worker: string;
  readonly role: string;
  readonly version: string;
  readonly parts: Parts;
}

/** A report as it was stored. Its age is by the clock of the store. */
export interface ReportedWorker extends WorkerReport {
  readonly started_at: string;
  readonly age_seconds: number;
}

/** Without a report for so many intervals a worker counts as gone. */
export const goneAfterReports = 3;
const longestTrouble = 500;

export interface WorkerReporterOptions {
  readonly context: RoleContext;
  readonly every: number;
  readonly report: (report: WorkerReport) => Promise<unknown>;
}

const lookEvery = 1000;
const stopWithin = 100;

/** Reports every few seconds, and within a second after a part has changed. A report that fails is made again at the next look. */
export function workerReporter({ context, every, report }: WorkerReporterOptions): Service {
  const { worker, role, version, health, log, metrics } = context;
  const partsNow = (): Parts =>
    Object.fromEntries(Object.entries(health.parts()).map(([part, trouble]) => [part, trouble?.slice(0, longestTrouble) ?? null]));
  let [last, at] = ["", Number.NEGATIVE_INFINITY];
  async function runOnce(): Promise<number> {
    const parts = partsNow();
    const text = JSON.stringify(parts);
    const startedAt = performance.now();
    if (text === last && startedAt - at < every - lookEvery / 2) return 0;
    await report({ worker, role, version, parts }).then(
      () => {
        [last, at] = [text, startedAt];
      },
      error => log.debug({ error }, "worker.not_reported"),
    );
    return 0;
  }
  const interval = Math.min(every, lookEvery);
  const reporting = loop({ name: "worker.report_to_store", runOnce, full: Number.POSITIVE_INFINITY, interval, log, metrics });
  // A store that hangs must not delay the stop.
  return service({ start: reporting.start, stop: () => withTimeout(stopWithin, "the last report", reporting.stop()).catch(() => {}) });
}
