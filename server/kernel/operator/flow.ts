import { withTimeout } from "../life/deadline.ts";
import { loop } from "../life/loop.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import { type Metrics, minuteBuckets } from "../telemetry/metrics.ts";
import { isLogged, repeatsOf } from "../telemetry/repeats.ts";

/** How many passed a step in a minute, and how long they had taken since they occurred. */
interface Tally {
  readonly minute: number;
  readonly step: string;
  count: number;
  /** By the scale below; as long as the slowest needs. */
  readonly buckets: number[];
  slowest: Slowest | undefined;
}

/** The event that took longest. */
interface Slowest {
  readonly id: string;
  readonly ms: number;
}

const minuteLength = 60_000;
// An hour without the database. Older minutes are dropped, so that memory stays bounded.
const minutesKept = 60;
// Four buckets to a doubling: a percentile is within 10 % of the truth. The last one holds everything above a day and a half.
const perDoubling = 4;
const lastBucket = 27 * perDoubling;

/** Bucket 0 is up to 1 ms; bucket n ends at 2^(n/4) ms. */
export const bucketOf = (milliseconds: number): number =>
  milliseconds <= 1 ? 0 : Math.min(lastBucket, Math.ceil(Math.log2(milliseconds) * perDoubling));

/** The time below which this share of the counted events lies, as the middle of its bucket; null if none was timed. */
export function percentile(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  const bucket = buckets.findIndex(count => {
    left -= count;
    return left <= 0;
  });
  return bucket === 0 ? 1 : Math.round(2 ** ((bucket - 0.5) / perDoubling));
}

/** An event's row or message, with its facts. */
interface Passing {
  readonly payload: unknown;
  /** Without an id it is counted, and is never the slowest. */
  readonly event_id?: string;
}

/** Counts events in memory: a few additions an event, no statement. It uses this process's clock, because it is for charts and objectives. */
export function createFlow(metrics: Metrics, now: () => number = Date.now) {
  const stepSeconds = metrics.histogram(
    "event_step_seconds",
    "Time from a change or a match to a step of its event.",
    ["step"],
    minuteBuckets,
  );
  let tallies = new Map<string, Tally>();

  function tallyOf(step: string, minute = Math.floor(now() / minuteLength) * minuteLength): Tally {
    const key = `${minute} ${step}`;
    let tally = tallies.get(key);
    if (!tally) {
      tally = { minute, step, count: 0, buckets: [], slowest: undefined };
      tallies.set(key, tally);
    }
    return tally;
  }

  function addTo(buckets: number[], bucket: number, count: number): void {
    while (buckets.length <= bucket) buckets.push(0);
    buckets[bucket]! += count;
  }

  function keepSlowest(tally: Tally, one: Slowest | undefined): void {
    if (one && one.ms > (tally.slowest?.ms ?? -1)) tally.slowest = one;
  }

  function addTimed(tally: Tally, id: string | undefined, took: number): void {
    addTo(tally.buckets, bucketOf(took), 1);
    if (id !== undefined) keepSlowest(tally, { id, ms: Math.max(0, Math.round(took)) });
  }

  return {
    /** Starts the histogram of a step at 0: rates see only what comes after the first value of a series. */
    startAtZero: (step: string) => stepSeconds.zero({ step }),
    /** Adds to the count of a step. */
    count(step: string, count: number): void {
      if (count > 0) tallyOf(step).count += count;
    },
    /** Counts these events at a step, each with the time since it occurred. */
    passed(step: string, events: Iterable<Passing>): void {
      const tally = tallyOf(step);
      for (const { payload, event_id } of events) {
        tally.count++;
        const took = now() - Date.parse(String((payload as { occurred_at?: unknown } | null)?.occurred_at));
        if (Number.isNaN(took)) continue;
        addTimed(tally, event_id, took);
        stepSeconds.observe({ step }, Math.max(0, took) / 1000);
      }
    },
    /** Counts one that took so many milliseconds to a step which has a metric of its own. */
    took(step: string, id: string, milliseconds: number): void {
      const tally = tallyOf(step);
      tally.count++;
      addTimed(tally, id, milliseconds);
    },
    /** Removes and returns everything counted so far, to be stored. */
    take(): Tally[] {
      const taken = [...tallies.values()];
      tallies = new Map();
      return taken;
    },
    /** Adds tallies again that could not be stored. */
    putBack(taken: readonly Tally[]): void {
      const oldest = now() - minutesKept * minuteLength;
      for (const { minute, step, count, buckets, slowest } of taken.filter(tally => tally.minute > oldest)) {
        const tally = tallyOf(step, minute);
        tally.count += count;
        keepSlowest(tally, slowest);
        buckets.forEach((more, bucket) => {
          if (more > 0) addTo(tally.buckets, bucket, more);
        });
      }
    },
  };
}

export type Flow = ReturnType<typeof createFlow>;

/** The statement that stores tallies, which every system has. */
type Add = (parameters: {
  minute: readonly string[];
  step: readonly string[];
  count: readonly number[];
  buckets: readonly string[];
  slowest_id: readonly (string | null)[];
  slowest_ms: readonly (number | null)[];
}) => Promise<unknown>;

export interface FlowKeeperOptions {
  readonly flow: Flow;
  readonly add: Add;
  readonly every: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

const stopWithin = 1000;

/** Stores the tallies with one statement every few seconds, if there are any, and once more at the stop. Its errors affect nothing else. */
export function flowKeeper({ flow, add, every, log, metrics }: FlowKeeperOptions): Service {
  async function flush(): Promise<number> {
    const taken = flow.take();
    if (taken.length === 0) return 0;
    try {
      await add({
        minute: taken.map(({ minute }) => new Date(minute).toISOString()),
        step: taken.map(({ step }) => step),
        count: taken.map(({ count }) => count),
        buckets: taken.map(({ buckets }) => `{${buckets.join(",")}}`),
        slowest_id: taken.map(({ slowest }) => slowest?.id ?? null),
        slowest_ms: taken.map(({ slowest }) => slowest?.ms ?? null),
      });
    } catch (error) {
      flow.putBack(taken);
      if (!isLogged(error)) repeatsOf(log).write("warn", { error, count: taken.length }, "flow.kept_for_later");
    }
    return 0;
  }
  const flushing = loop({ name: "flow", runOnce: flush, full: Number.POSITIVE_INFINITY, interval: every, log, metrics });
  const end = async () => {
    await flushing.stop();
    await flush();
  };
  // A database that hangs must not delay the stop: statistics are given up first.
  return service({ start: flushing.start, stop: () => withTimeout(stopWithin, "the last flush", end()).catch(() => {}) });
}
