import { DeadlineError } from "../life/deadline.ts";
import type { Log } from "../telemetry/log.ts";
import { markLogged, repeatsOf } from "../telemetry/repeats.ts";
import { databaseRefusal, isAway, PoolFull, sqlState } from "./database.ts";

/** What a pool tells about each statement that ended. */
export interface StatementWatch {
  succeeded(): void;
  /** `sentAt`: by performance.now(), when the statement was called. */
  failed(error: unknown, sentAt: number): void;
}

/** `host:port/database` of a URL, without the user and the password. */
export const addressOf = (url: string): string => {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
};

// The server answers, but not to this statement: a lock, a deadlock, a statement that took too long.
const answeredStates = /^(40|55P03|57014)/;

/**
 * The outage of a database in the log: one line when it begins, sums of the failed statements, and one line when it is over. The errors of these statements
 * are marked as logged. A statement without an answer means an outage only if no other had one meanwhile.
 */
export function databaseOutage(url: string, log: Log): StatementWatch {
  const known = watches.get(log) ?? new Map<string, StatementWatch>();
  watches.set(log, known);
  const database = addressOf(url);
  const watch = known.get(database) ?? createWatch(database, log);
  known.set(database, watch);
  return watch;
}

/** All pools of a thread share what they know of a database. */
const watches = new WeakMap<Log, Map<string, StatementWatch>>();

function createWatch(database: string, log: Log): StatementWatch {
  const repeats = repeatsOf(log);
  let answeredAt = 0;
  let isAwayNow = false;

  const isOutage = (error: unknown, sentAt: number) =>
    isAway(error) &&
    !answeredStates.test(sqlState(error)) &&
    (answeredAt < sentAt || !(error instanceof DeadlineError || error instanceof PoolFull));

  return {
    succeeded() {
      answeredAt = performance.now();
      if (isAwayNow) repeats.over("database.away", database, { database }, "database.back");
      isAwayNow = false;
    },
    failed(error, sentAt) {
      if (!isOutage(error, sentAt)) return;
      isAwayNow = true;
      const refusal = databaseRefusal(error);
      const what = refusal ?? "Check that PostgreSQL runs, answers and can be reached from here";
      const says = `The database ${database} does not answer as it should. Requests that need it get 503; workers wait and try again. ${what}`;
      repeats.write(refusal ? "error" : "warn", { database, error, says }, "database.away", { key: database });
      markLogged(error);
    },
  };
}
