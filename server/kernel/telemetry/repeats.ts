import type { Log } from "./log.ts";

type Level = "debug" | "info" | "warn" | "error";
type Fields = Readonly<Record<string, unknown>>;

export interface RepeatOptions {
  /** Lines with the same message and key repeat each other. It has few values, such as the name of a loop. */
  readonly key?: string | undefined;
  /** So many lines are written before the others are summed up; one more a minute. For lines that name single rows. */
  readonly burst?: number;
}

/** What goes wrong again and again: the line about it, and what no line has counted yet. */
interface Episode {
  readonly msg: string;
  readonly since: number;
  level: Level;
  fields: Fields;
  total: number;
  uncounted: number;
  sums: number;
  nextSum: number;
  lastAt: number;
  burst: number;
  refillAt: number;
  /** The causes that a line has named. */
  readonly causes: Set<string>;
  /** It seems to be over since then; the line that says so. */
  over?: { readonly at: number; readonly msg: string; readonly fields: Fields };
}

// When the sums are written, after the first line: 10 s, then a minute later, then every 10 minutes.
const distances = [10_000, 60_000, 600_000];
// What fails again within this time was not over.
const stableFor = 5000;
const forgetAfter = 600_000;
const refillEvery = 60_000;
const mostKeys = 200;
// Of one trouble so many causes have a line of their own. If the cause is known from another trouble, such lines of all troubles are limited: an outage
// with several symptoms would write them for every loop.
const mostCauses = 5;
const sharedBurst = 10;
/** For lines about single rows or requests. */
export const rowBurst = 20;
/** For rows that somebody has to look at: operators search for their ids. */
export const failedBurst = 100;

/** By the clock of the machine at the start of the process. Later changes of that clock do not matter. */
const clock = () => performance.timeOrigin + performance.now();

/** Why it failed, without what differs from time to time: the class and code of the error, or its text without words that have a digit. */
function causeOf({ error, why }: Fields): string {
  const found = error ?? why ?? "";
  const { name, code, message } = (typeof found === "object" ? found : { message: String(found) }) as Record<string, unknown>;
  return code === undefined ? `${name ?? ""} ${String(message).replaceAll(/\S*\d\S*/g, "#")}` : `${name ?? ""} ${code}`;
}

export type Repeats = ReturnType<typeof createRepeats>;

/**
 * Writes a line that repeats once, and then sums of it at growing distances: `repeats` is how many came since the line before, `since` when the first
 * came. Every repeat is counted in a later line: a sum, the line that says that it is over, or the sums of the stop. A repeat with another cause is
 * written at once.
 */
export function createRepeats(log: Log, now: () => number = clock) {
  const episodes = new Map<string, Episode>();
  const shared = { burst: sharedBurst, refillAt: now() + refillEvery };
  const idOf = (msg: string, key: string | undefined) => (key === undefined ? msg : `${msg} ${key}`);
  const isoOf = (at: number) => new Date(at).toISOString();

  function begin(id: string, level: Level, fields: Fields, msg: string, burst: number): void {
    const at = now();
    const times = { since: at, lastAt: at, nextSum: at + distances[0]!, refillAt: at + refillEvery };
    const causes = new Set([causeOf(fields)]);
    episodes.set(id, { msg, level, fields, total: 1, uncounted: 0, sums: 0, burst: burst - 1, causes, ...times });
    log[level](fields, msg);
  }

  /** Fills up what lines are left, one a minute. */
  function refill(left: { burst: number; refillAt: number }, most: number): void {
    const at = now();
    if (at < left.refillAt) return;
    left.burst = Math.min(most, left.burst + Math.floor((at - left.refillAt) / refillEvery) + 1);
    left.refillAt = at + refillEvery;
  }

  /** Whether this cause of a trouble has its line now. If not, a later repeat may have it. */
  function namesCause({ causes }: Episode, cause: string): boolean {
    if (causes.has(cause) || causes.size >= mostCauses) return false;
    if (episodes.values().some(other => other.causes.has(cause))) {
      refill(shared, sharedBurst);
      if (shared.burst === 0) return false;
      shared.burst--;
    }
    causes.add(cause);
    return true;
  }

  function sum(one: Episode): void {
    log[one.level]({ ...one.fields, repeats: one.uncounted, since: isoOf(one.since) }, one.msg);
    one.uncounted = 0;
    one.sums++;
    one.nextSum = now() + distances[Math.min(one.sums, distances.length - 1)]!;
  }

  function end(id: string, { since, total }: Episode, { at, msg, fields }: NonNullable<Episode["over"]>): void {
    episodes.delete(id);
    log.info({ ...fields, failures: total, since: isoOf(since), seconds: Math.round((at - since) / 100) / 10 }, msg);
  }

  return {
    /** Writes the line, or counts it if it repeats one that was written. */
    write(level: Level, fields: Fields, msg: string, { key, burst = 1 }: RepeatOptions = {}): void {
      // More keys than expected share one, so that memory and lines stay bounded.
      const known = idOf(msg, key);
      const id = episodes.has(known) || episodes.size < mostKeys ? known : msg;
      const one = episodes.get(id);
      if (!one) {
        begin(id, level, fields, msg, burst);
        return;
      }
      const at = now();
      delete one.over;
      one.total++;
      one.lastAt = at;
      one.level = level;
      one.fields = fields;
      if (burst > 1) refill(one, burst);
      if (one.burst > 0 && one.uncounted === 0) {
        one.burst--;
        if (one.causes.size < mostCauses) one.causes.add(causeOf(fields));
        log[level](fields, msg);
        return;
      }
      if (namesCause(one, causeOf(fields))) {
        log[level](fields, msg);
        return;
      }
      one.uncounted++;
      if (at >= one.nextSum) sum(one);
    },
    /** It works again. The line `overMsg` is written when it has worked for 5 s, if a line had said that it does not. Returns whether one had. */
    over(msg: string, key: string | undefined, fields: Fields, overMsg: string): boolean {
      const one = episodes.get(idOf(msg, key));
      if (one) one.over ??= { at: now(), msg: overMsg, fields };
      return one !== undefined;
    },
    /** Writes what is due, and forgets what did not come again. Called every few seconds. */
    sweep(): void {
      const at = now();
      for (const [id, one] of episodes) {
        if (one.over && at - one.over.at >= stableFor) end(id, one, one.over);
        else if (one.uncounted > 0 && !one.over && at >= one.nextSum) sum(one);
        else if (one.uncounted === 0 && at - one.lastAt >= forgetAfter) episodes.delete(id);
      }
    },
    /** At the stop: writes everything that is counted and not written. */
    flush(): void {
      for (const [id, one] of episodes) {
        if (one.over) end(id, one, one.over);
        else if (one.uncounted > 0) sum(one);
      }
    },
  };
}

const repeatsByLog = new Map<Log, Repeats>();

/** The repeats of a log. Each thread has its own log. */
export function repeatsOf(log: Log): Repeats {
  const known = repeatsByLog.get(log) ?? createRepeats(log);
  repeatsByLog.set(log, known);
  return known;
}

/** Before this thread ends without a stop: writes what its logs have counted. */
export function flushRepeats(): void {
  for (const one of repeatsByLog.values()) one.flush();
}

const logged = new WeakSet<object>();

/** Marks an error that a line of the log tells of, such as the outage of a store. Who catches it does not log it again. */
export function markLogged<E>(error: E): E {
  if (typeof error === "object" && error !== null) logged.add(error);
  return error;
}

export const isLogged = (error: unknown): boolean => typeof error === "object" && error !== null && logged.has(error);
