import type { Health, Parts } from "../life/health.ts";
import { goneAfterReports, type ReportedWorker } from "./worker_reports.ts";

/** A worker in any process of the system. */
export interface WorkerProcess {
  readonly worker: string;
  readonly role: string;
  readonly version: string;
  readonly started_at: string;
  /** Since its last report. */
  readonly age_seconds: number;
  /** Its parts that are in trouble. */
  readonly troubles: Readonly<Record<string, string>>;
}

export interface SeenWorkersOptions {
  readonly health: Health;
  /** The API's own worker name: the workers of the same process are known without their reports. */
  readonly self: string;
  /** The roles that the system declares. */
  readonly roles: readonly string[];
  /** How often workers report, in milliseconds. */
  readonly every: number;
  readonly now?: () => number;
}

/** `relay@host/12/ab3f` runs in `host/12`. */
const processOf = (worker: string) => worker.slice(worker.lastIndexOf("@") + 1).replace(/\/[^/]*$/, "");
const troublesIn = (parts: Parts) => Object.entries(parts).filter((part): part is [string, string] => part[1] !== null);
const textOf = (troubles: readonly (readonly [string, string])[]) => troubles.map(([part, what]) => `${part}: ${what}`).join("; ");

/** How a role is: null = well, undefined = unknown. */
export interface SeenRole {
  readonly role: string;
  readonly trouble: string | null | undefined;
}

/**
 * Puts together what the API knows of the workers in its own process and what the others have reported. A role without a live worker is a trouble.
 * It is unknown for as long as a worker may be silent: after the reports could not be read, since workers could not report either; and without any
 * row of the role, since it may be about to start, and a crash of the store empties the list.
 */
export function seenWorkers({ health, self, roles, every, now = performance.now.bind(performance) }: SeenWorkersOptions) {
  const goneAfter = (every * goneAfterReports) / 1000;
  let readableSince: number | undefined;
  /** Roles without any row, by when that was first seen. */
  const missingSince = new Map<string, number>();
  const isLive = ({ age_seconds }: ReportedWorker) => age_seconds <= goneAfter;
  const isLongAgo = (at: number) => now() - at > goneAfter * 1000;

  function troubleOf(role: string, reported: readonly ReportedWorker[] | undefined): string | null | undefined {
    const isHere = health.workers.has(role);
    const here = isHere ? health.parts()[role] : null;
    if (here !== null) return here;
    const live = reported?.filter(isLive) ?? [];
    if (isHere || live.length > 0) {
      missingSince.delete(role);
      const broken = live.map(({ parts }) => troublesIn(parts)).find(troubles => troubles.length > 0);
      return broken ? textOf(broken) : null;
    }
    if (!reported || readableSince === undefined) return undefined;
    const [last] = reported;
    if (last) missingSince.delete(role);
    else if (!missingSince.has(role)) missingSince.set(role, now());
    if (!isLongAgo(Math.max(readableSince, missingSince.get(role) ?? 0))) return undefined;
    return last
      ? `no report for ${Math.round(last.age_seconds)} s, the last from ${last.worker}: it does not run, or it cannot write to its store`
      : "no process runs it";
  }

  return {
    /** `reports`: undefined if they cannot be read. */
    look(reports: readonly ReportedWorker[] | undefined): { roles: SeenRole[]; processes: WorkerProcess[]; parts: Parts[] } {
      if (reports) readableSince ??= now();
      else {
        readableSince = undefined;
        missingSince.clear();
      }
      // A thread of this process is known without its report. A single role beside this API in one process is not.
      const isThread = ({ worker, role }: ReportedWorker) => health.workers.has(role) && processOf(worker) === processOf(self);
      const others = reports?.filter(one => !isThread(one));
      return {
        roles: roles.map(role => ({
          role,
          trouble: troubleOf(
            role,
            others?.filter(one => one.role === role),
          ),
        })),
        processes: (reports ?? [])
          .filter(isLive)
          .map(({ parts, ...worker }) => ({ ...worker, troubles: Object.fromEntries(troublesIn(parts)) })),
        parts: (others ?? []).filter(isLive).map(({ parts }) => parts),
      };
    },
  };
}
